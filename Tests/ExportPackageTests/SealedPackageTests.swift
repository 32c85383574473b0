import AgeEncryption
import ExportPackage
import Files
import JSONText
import Records
import TestSupport
import Testing

/// Packages whose files are encrypted, each for itself.
@Suite struct SealedPackageTests {
  private let fixture: PackageFixture
  private let identity = AgeIdentity()

  init() throws { fixture = try PackageFixture() }

  private var keys: PackageKeys {
    PackageKeys(recipients: [identity.recipient], identities: [identity])
  }

  /// The same without the secret half: a machine that only writes.
  private var writing: PackageKeys { PackageKeys(recipients: [identity.recipient]) }

  private func lines(_ reader: PackageReader, _ entity: EntityName) throws -> [String] {
    let stream = try reader.records(of: entity)
    var lines: [String] = []
    while let record = try stream.next() {
      lines.append(String(decoding: record.line, as: UTF8.self))
    }
    return lines
  }

  @Test func `an encrypted package is read, and equals the unencrypted one`() throws {
    let written = try fixture.write(keys: writing)
    let open = "\(fixture.folder)/open"
    #expect(try fixture.write(path: open) == written)
    let reader = try PackageReader(fixture.package, identities: [identity])
    let other = try PackageReader(open)
    #expect(reader.isSealed && !other.isSealed)
    #expect(reader.manifest == other.manifest && reader.digest == other.digest)
    #expect(reader.recipients == [identity.recipient])
    for entity in ["Owner", "Note"] as [EntityName] {
      #expect(try lines(reader, entity) == lines(other, entity))
    }
    #expect(try reader.schema("owner.json") == Array("{}".utf8))
    #expect(try reader.damages().isEmpty)
  }

  @Test func `a record is found again by its place, and blocks are whole`() throws {
    try fixture.write(keys: writing)
    let reader = try PackageReader(fixture.package, identities: [identity])
    let stream = try reader.records(of: "Note")
    var count = 0
    while let record = try stream.next() {
      #expect(try reader.line(at: record.place) == Array(record.line))
      count += 1
    }
    let blocks = try reader.records(of: "Note")
    var bytes = 0
    while let block = try blocks.nextBlock() { bytes += block.bytes.count(where: { $0 == 0x0A }) }
    #expect(bytes == count && count == 51)
  }

  @Test func `a picture of an encrypted package is read from its place`() throws {
    try fixture.write(keys: writing)
    let reader = try PackageReader(fixture.package, identities: [identity])
    let picture = Array("picture 5".utf8)
    let digest = try #require(
      Digest(bytes: FileSource("\(fixture.folder)/picture-5").sha256().digest)
    )
    let source = try #require(reader.media(digest))
    #expect(try source.contents() == picture)
    #expect(try source.open().size() == Int64(picture.count))
    #expect(reader.media(Digest(repeating: 9)) == nil)
  }

  @Test func `no unencrypted file reveals the content`() throws {
    try fixture.write(keys: writing)
    let words = ["Owner", "Note", "owner", "picture", "sample", "swiftdata", "text"]
    for (name, bytes) in try PackageFixture.contents(of: fixture.package) {
      for word in words {
        #expect(!name.contains(word))
        #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(name) holds \(word)")
      }
    }
    let marker = try InputFile.contents(of: "\(fixture.package)/encrypted.json")
    #expect(
      try JSONValue(parsing: marker) == ["encryption": "age-encryption.org/v1", "format": "1.0"]
    )
  }

  @Test func `unencrypted file names are digits only`() throws {
    try fixture.write(keys: writing)
    let names = try PackageFixture.contents(of: fixture.package).keys
    #expect(names.contains("/encrypted.json"))
    for name in names {
      let isNamed =
        try ["/encrypted.json", "/SHA256SUMS", "/SHA256SUMS.age"].contains(name)
        || #/\/(manifest|sealing)\.json\.age/#.wholeMatch(in: name) != nil
        || #/\/(data|rejected|schemas)\/[0-9a-f]{32}\.age/#.wholeMatch(in: name) != nil
        || #/\/media\/([0-9a-f]{2})\/\1[0-9a-f]{30}\.age/#.wholeMatch(in: name) != nil
      #expect(isNamed, "\(name)")
    }
  }

  @Test func `the same package is written with other bytes each time`() throws {
    try fixture.write(keys: writing)
    let other = "\(fixture.folder)/other"
    try fixture.write(path: other, keys: writing)
    let (one, two) = try (
      PackageFixture.contents(of: fixture.package), PackageFixture.contents(of: other)
    )
    let same = Set(one.keys).intersection(two.keys).filter { one[$0] == two[$0] }
    #expect(same == ["/encrypted.json"])
    let readers = try [fixture.package, other].map { try PackageReader($0, identities: [identity]) }
    #expect(readers[0].digest == readers[1].digest)
  }

  @Test func `each of several recipients reads it, and no one else`() throws {
    let second = AgeIdentity()
    try fixture.write(keys: PackageKeys(recipients: [identity.recipient, second.recipient]))
    for identity in [identity, second] {
      #expect(try PackageReader(fixture.package, identities: [identity]).damages().isEmpty)
    }
    #expect(throws: PackageError.sealed(path: fixture.package)) {
      try PackageReader(fixture.package)
    }
    #expect(throws: PackageError.notForUs(path: fixture.package)) {
      try PackageReader(fixture.package, identities: [AgeIdentity()])
    }
  }

  @Test(arguments: [1, 5, 30, 59, 61, 90, 119]) func `a killed export goes on without the identity`(
    steps: Int
  ) throws {
    #expect(throws: PackageFixture.Cut.self) { try fixture.write(steps: steps, keys: writing) }
    let journal = try InputFile.contents(of: "\(fixture.package).partial/progress.json")
    #expect(journal.firstRange(of: Array("AGE-SECRET-KEY".utf8)) == nil)
    // What is finished stays as it is.
    let before = try PackageFixture.contents(of: "\(fixture.package).partial")
    try fixture.write(keys: writing)
    let after = try PackageFixture.contents(of: fixture.package)
    if steps > 10 {
      let kept = before.filter { $0.key.hasPrefix("/data/") && after[$0.key] == $0.value }
      #expect(!kept.isEmpty)
    }
    let reader = try PackageReader(fixture.package, identities: [identity])
    try fixture.write(path: "\(fixture.folder)/open")
    #expect(reader.digest == (try PackageReader("\(fixture.folder)/open")).digest)
    #expect(try reader.damages().isEmpty)
  }

  @Test func `a package begun for other recipients, or unencrypted, is begun again`() throws {
    for earlier in [PackageKeys.none, PackageKeys(recipients: [AgeIdentity().recipient])] {
      try Folder.remove(fixture.package)
      #expect(throws: PackageFixture.Cut.self) { try fixture.write(steps: 90, keys: earlier) }
      try fixture.write(keys: writing)
      let reader = try PackageReader(fixture.package, identities: [identity])
      #expect(try reader.damages().isEmpty)
      for bytes in try PackageFixture.contents(of: fixture.package).values {
        #expect(bytes.firstRange(of: Array("Owner".utf8)) == nil)
      }
    }
  }

  @Test func `a finished package is found by an identity, and never taken for another`() throws {
    try fixture.write(keys: writing)
    let binding = PackageFixture.binding()
    guard
      case .alreadyPresent = try PackageWriter.open(fixture.package, binding: binding, keys: keys)
    else {
      Issue.record("it is there")
      return
    }
    #expect(throws: PackageError.sealed(path: fixture.package)) {
      try PackageWriter.open(fixture.package, binding: binding, keys: writing)
    }
    var others = keys
    others.recipients.append(AgeIdentity().recipient)
    for keys in [PackageKeys(identities: [identity]), others] {
      let error = #expect(throws: PackageError.self) {
        try PackageWriter.open(fixture.package, binding: binding, keys: keys)
      }
      guard case .sealedOtherwise? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    let open = "\(fixture.folder)/open"
    try fixture.write(path: open)
    #expect(throws: PackageError.sealedOtherwise(path: open, reason: "it is not encrypted")) {
      try PackageWriter.open(open, binding: binding, keys: keys)
    }
  }

  @Test func `damage in any file of an encrypted package is found`() throws {
    try fixture.write(keys: writing)
    let whole = try PackageFixture.contents(of: fixture.package)
    for (name, bytes) in whole.sorted(by: { $0.key < $1.key }) {
      for place in [0, bytes.count / 2, bytes.count - 1] {
        var harmed = bytes
        harmed[place] ^= 0x01
        try WholeFile.replace(fixture.package + name, with: harmed)
        #expect(try isRefused(), "\(name), byte \(place)")
      }
      try Folder.remove(fixture.package + name)
      #expect(try isRefused(), "without \(name)")
      try WholeFile.replace(fixture.package + name, with: bytes)
    }
    #expect(try !isRefused())
    try WholeFile.replace("\(fixture.package)/data/stranger.age", with: [1])
    #expect(try isRefused())
  }

  /// Whether the package is not opened, or found to be damaged.
  private func isRefused() throws -> Bool {
    do throws(PackageError) {
      return try !PackageReader(fixture.package, identities: [identity]).damages().isEmpty
    } catch {
      switch error {
      case .damaged, .tooNew, .notForUs, .notAPackage: return true
      default: throw error
      }
    }
  }

  @Test func `swapped files of an encrypted package are detected, and yield no record`() throws {
    try fixture.write(keys: writing)
    let names = try Folder.names(in: "\(fixture.package)/data").map {
      "\(fixture.package)/data/\($0)"
    }
    let contents = try names.map { try InputFile.contents(of: $0) }
    let pair = try #require(
      contents.indices.lazy.compactMap { one in
        contents.indices.first { $0 > one && contents[$0].count == contents[one].count }
          .map { (one, $0) }
      }.first
    )
    try WholeFile.replace(names[pair.0], with: contents[pair.1])
    try WholeFile.replace(names[pair.1], with: contents[pair.0])
    let reader = try PackageReader(fixture.package, identities: [identity])
    #expect(try reader.damages().map(\.code) == ["package.damaged", "package.damaged"])
  }
}
