import AgeEncryption
import ExportPackage
import Files
import JSONText
import Records
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What lies in a package, and what it says of itself.
@Suite struct PackageContentTests {
  private let fixture: PackageFixture
  private let identity = AgeIdentity()

  init() throws { fixture = try PackageFixture() }

  private var sealed: PackageKeys {
    PackageKeys(recipients: [identity.recipient], identities: [identity])
  }

  private func lines(_ stream: RecordStream) throws -> [String] {
    var lines: [String] = []
    while let record = try stream.next() {
      lines.append(String(decoding: record.line, as: UTF8.self))
    }
    return lines
  }

  private func writer(
    _ path: String? = nil,
    chunkSize: Int64 = 256,
    keys: PackageKeys = .none
  ) throws -> PackageWriter {
    let opening = try PackageWriter.open(
      path ?? fixture.package,
      binding: PackageFixture.binding(),
      keys: keys,
      chunkSize: chunkSize
    )
    guard case .writing(let writer) = opening else { throw PackageFixture.Cut() }
    return writer
  }

  private func add(
    _ text: String,
    _ entity: EntityName,
    _ place: Int64,
    to writer: PackageWriter
  ) throws {
    try Array(text.utf8).withUnsafeBytes { try writer.add($0, of: entity, place: place) }
  }

  // MARK: - Rejected rows

  @Test(arguments: [false, true])
  func `rows that could not become records are kept as they were read`(isSealed: Bool) throws {
    try fixture.write(rows: 20, keys: isSealed ? sealed : .none)
    let reader = try PackageReader(fixture.package, identities: [identity])
    let rejects = [3, 10, 17].map { #"{"place":\#($0)}"# }
    for entity in ["Owner", "Note"] as [EntityName] {
      #expect(try lines(reader.rejects(of: entity)) == rejects)
      #expect(reader.manifest.entity(entity)?.rejected == 3)
      #expect(reader.manifest.entity(entity)?.records == 17)
      #expect(try lines(reader.records(of: entity)).count == 17)
    }
    #expect(try lines(reader.rejects(of: "Empty")).isEmpty)
    let places = reader.manifest.files.filter { $0.path.hasPrefix("rejected/") }
    #expect(places.allSatisfy { $0.entity != nil && $0.size > 0 && $0.records != nil })
    #expect(places.compactMap(\.records).reduce(0, +) == 6)
  }

  @Test func `many rejected rows alone fill files as records do`() throws {
    let writer = try writer(chunkSize: 64)
    let reported = (1...9).map { #"{"place":\#($0),"why":"it has no key"}"# }
    for (index, line) in reported.enumerated() {
      try writer.reject(Array(line.utf8), of: "Owner", place: Int64(index + 1))
    }
    let manifest = try writer.finish(PackageFixture.manifest).manifest
    #expect(manifest.files.map(\.path) == (1...5).map { "rejected/Owner-0000\($0).jsonl" })
    let reader = try PackageReader(fixture.package)
    #expect(try lines(reader.rejects(of: "Owner")) == reported)
    #expect(try reader.damages().isEmpty)
  }

  @Test func `an export with rejections only resumes after its last rejected row`() throws {
    do {
      let writer = try writer(chunkSize: 8)
      for place in 1...3 as ClosedRange<Int64> {
        try writer.reject(Array("row \(place)".utf8), of: "Owner", place: place)
      }
    }
    let writer = try writer(chunkSize: 8)
    #expect(writer.isResumed)
    #expect(writer.lastPlace(of: "Owner") == 2, "two rows fill a file")
    try writer.reject(Array("row 3".utf8), of: "Owner", place: 3)
    _ = try writer.finish(PackageFixture.manifest)
    let reader = try PackageReader(fixture.package)
    #expect(try lines(reader.rejects(of: "Owner")) == ["row 1", "row 2", "row 3"])
    #expect(try reader.damages().isEmpty)
  }

  // MARK: - Many small entities

  private let smallEntities = (0..<100).map { EntityName("Thing\($0)") ?? "Thing" }

  private func add(_ entities: some Sequence<EntityName>, to writer: PackageWriter) throws {
    for entity in entities where writer.lastPlace(of: entity) == nil {
      try add("{\"entity\":\"\(entity)\"}", entity, 1, to: writer)
    }
  }

  @Test func `a hundred small entities do not have the disk waited for each`() throws {
    let journal = "\(fixture.package).partial/progress.json"
    do {
      let writer = try writer(chunkSize: 1 << 20)
      try add(smallEntities.prefix(60), to: writer)
      let early = try JSONValue(parsing: InputFile.contents(of: journal))
      #expect(early["chunks"]?.array?.isEmpty == true)
      try add(smallEntities.dropFirst(60), to: writer)
      let later = try JSONValue(parsing: InputFile.contents(of: journal))
      #expect(later["chunks"]?.array?.count == 64)
    }
    let writer = try writer(chunkSize: 1 << 20)
    #expect(smallEntities.count { writer.lastPlace(of: $0) == 1 } == 64)
    try add(smallEntities, to: writer)
    _ = try writer.finish(PackageFixture.manifest)
    let reader = try PackageReader(fixture.package)
    for entity in smallEntities {
      #expect(try lines(reader.records(of: entity)) == ["{\"entity\":\"\(entity)\"}"])
    }
    #expect(reader.manifest.files.count == smallEntities.count)
  }

  // MARK: - Data files

  @Test func `a data file is closed by the line that reaches its size`()
    throws
  {
    let writer = try writer(chunkSize: 20)
    // Each line has ten bytes with its end.
    for place in 1...5 as ClosedRange<Int64> { try add("123456789", "Owner", place, to: writer) }
    let manifest = try writer.finish(PackageFixture.manifest).manifest
    #expect(manifest.files.map(\.size) == [20, 20, 10])
    #expect(manifest.files.map(\.records) == [2, 2, 1])
    #expect(manifest.files.map(\.path) == (1...3).map { "data/Owner-0000\($0).jsonl" })
  }

  @Test
  func
    `each entity has its own files, and one entity's missing files are not looked for under another`()
    throws
  {
    let writer = try writer(chunkSize: 100)
    try add("123456789", "Owner", 1, to: writer)
    #expect(try writer.missingSize(of: "Owner") == 90)
    #expect(try writer.missingSize(of: "Note") == 100)
    let together = Array("a\nb\n".utf8)
    try together.withUnsafeBytes {
      try writer.add(lines: $0, count: 2, of: "Note", lastPlace: 2)
    }
    #expect(try writer.missingSize(of: "Note") == 96)
    try together.withUnsafeBytes {
      try writer.add(lines: $0, count: 2, of: "Empty", lastPlace: 2)
      try writer.add(
        lines: UnsafeRawBufferPointer(rebasing: $0[..<0]),
        count: 0,
        of: "Owner",
        lastPlace: 9
      )
    }
    let manifest = try writer.finish(PackageFixture.manifest).manifest
    #expect(
      manifest.files.map(\.path) == ["Empty", "Note", "Owner"].map { "data/\($0)-00001.jsonl" }
    )
    #expect(manifest.entities.map(\.records) == [1, 2, 2])
    #expect(try Folder.names(in: fixture.package + "/data").count == 3, "nothing makes no file")
  }

  @Test func `a repeated entity gets the next file`() throws {
    let writer = try writer()
    for (index, entity) in (["Owner", "Note", "Owner"] as [EntityName]).enumerated() {
      try add("line \(index)", entity, Int64(index + 1), to: writer)
    }
    _ = try writer.finish(PackageFixture.manifest)
    let reader = try PackageReader(fixture.package)
    #expect(
      reader.manifest.dataFiles(of: "Owner").map(\.path) == [
        "data/Owner-00001.jsonl", "data/Owner-00002.jsonl",
      ]
    )
    #expect(try lines(reader.records(of: "Owner")) == ["line 0", "line 2"])
  }

  @Test func `an entity without rows has no file, and its count is written`() throws {
    let writer = try writer()
    try writer.count("seen", of: "Note")
    try writer.count("media.missing", by: 2, of: "Owner")
    try add("a", "Owner", 1, to: writer)
    try writer.count("media.missing", of: "Owner")
    try add("b", "Owner", 2, to: writer)
    let manifest = try writer.finish(PackageFixture.manifest).manifest
    #expect(manifest.entity("Owner")?.tallies == ["media.missing": 3])
    #expect(manifest.files.count == 1)
  }

  @Test func `counts are taken from the files, regardless of the old manifest`() throws {
    let writer = try writer()
    try add("a", "Owner", 1, to: writer)
    var manifest = PackageFixture.manifest
    manifest.entities[0].records = 70
    manifest.entities[0].rejected = 80
    manifest.files = [.init(path: "data/x", size: 1, sha256: Digest(repeating: 3))]
    let written = try writer.finish(manifest).manifest
    #expect(written.entities[0].records == 1 && written.entities[0].rejected == 0)
    #expect(written.files.map(\.path) == ["data/Owner-00001.jsonl"])
  }

  @Test(arguments: [false, true])
  func `blocks state their place, and their lines are the records' lines`(isSealed: Bool) throws {
    try fixture.write(keys: isSealed ? sealed : .none)
    let reader = try PackageReader(fixture.package, identities: [identity])
    var found: [String] = []
    let blocks = try reader.records(of: "Note")
    while let block = try blocks.nextBlock() {
      #expect(block.offset == 0 && block.line == 1, "a file is smaller than a block")
      let place = RecordPlace(file: block.file, offset: block.offset, length: block.bytes.count)
      #expect(try reader.line(at: place) == block.bytes)
      found += String(decoding: block.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    #expect(try found == lines(reader.records(of: "Note")))
  }

  @Test func `lines are counted from one in each file`() throws {
    try fixture.write()
    let stream = try PackageReader(fixture.package).records(of: "Owner")
    var next: [String: Int] = [:]
    while let record = try stream.next() {
      #expect(record.place.line == next[record.place.file, default: 1])
      #expect(record.place.length == record.line.count)
      #expect(RecordPlace(file: "f", offset: 0, length: 1).line == 0, "where it is not known")
      next[record.place.file] = record.place.line + 1
    }
    #expect(next.count > 3)
  }

  // MARK: - Schemas and media

  @Test func `a schema is written once, and a missing schema is nil`() throws {
    let writer = try writer()
    try writer.addSchema("a.json", Array("{}".utf8))
    try writer.addSchema("b.json", Array("[]".utf8))
    try writer.addSchema("a.json", Array("other".utf8))
    _ = try writer.finish(PackageFixture.manifest)
    let reader = try PackageReader(fixture.package)
    #expect(reader.manifest.files.map(\.path) == ["schemas/a.json", "schemas/b.json"])
    #expect(try reader.schema("a.json") == Array("{}".utf8))
    #expect(try reader.schema("b.json") == Array("[]".utf8))
    #expect(try reader.schema("c.json") == nil)
    #expect(try reader.schemas().map(\.name) == ["a.json", "b.json"])
    #expect(try reader.damages().isEmpty)
  }

  @Test func `each picture is kept once, and its bytes are those of its source`() throws {
    let path = fixture.folder + "/large"
    // More than is read at once.
    let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    try WholeFile.replace(path, with: bytes)
    try WholeFile.replace(fixture.folder + "/same", with: bytes)
    let writer = try writer()
    let first = try writer.addMedia(from: FileSource(path), of: "Owner")
    try add("a", "Owner", 1, to: writer)
    let again = try writer.addMedia(from: FileSource(fixture.folder + "/same"), of: "Owner")
    try add("b", "Owner", 2, to: writer)
    let other = try writer.addMedia(from: FileSource(path), of: "Note")
    try add("c", "Note", 1, to: writer)
    #expect(first == again && first == other)
    #expect(first.size == 700_000)
    let manifest = try writer.finish(PackageFixture.manifest).manifest
    #expect(manifest.media == .init(files: 1, bytes: 700_000))
    let reader = try PackageReader(fixture.package)
    #expect(try reader.media(first.digest)?.contents() == bytes)
    let text = first.digest.description
    #expect(InputFile.isPresent("\(fixture.package)/media/sha256/\(text.prefix(2))/\(text)"))
  }

  @Test func `a link in the place of a picture is not followed`() throws {
    try WholeFile.replace(fixture.folder + "/secret", with: [1, 2, 3])
    let link = fixture.folder + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: fixture.folder + "/secret"
    )
    let writer = try writer()
    #expect(throws: PackageError.self) {
      try writer.addMedia(from: FileSource(link), of: "Owner")
    }
  }

  // MARK: - The manifest

  @Test func `a full manifest is read as it was written`() throws {
    var manifest = PackageFixture.manifest
    manifest.dayRule = "noon"
    manifest.timeZone = "Europe/Paris"
    manifest.source.modelVersions = ["1", "2"]
    manifest.source.path = "/apps/notes.sqlite"
    manifest.entities[1].references = [
      .init(member: "owner", entities: ["Owner"], isToMany: false),
      .init(member: "things", entities: ["Note", "Sketch", "Photo"], isToMany: true),
      .init(member: "notes", entities: ["Note"], isToMany: true, inverse: "owner"),
    ]
    manifest.entities[1].omitted = ["a", "b"]
    manifest.entities[1].tallies = ["media.present": 4, "lossy.date": 2]
    manifest.entities[1].unknown = ["colour": "red"]
    manifest.unknown = ["newer": [1]]
    manifest.media = .init(files: 3, bytes: 5)
    manifest.sums = Digest(repeating: 7)
    manifest.files = [
      .init(path: "data/x", size: 4, sha256: Digest(repeating: 8), entity: "Note", records: 2),
      .init(path: "schemas/y", size: 0, sha256: Digest(repeating: 9)),
    ]
    #expect(try PackageManifest(bytes: manifest.bytes, path: "") == manifest)
    let references = manifest.json["entities"]?.array?[1]["references"]
    #expect(
      references == [
        ["member": "owner", "many": false, "entity": "Owner"],
        ["member": "things", "many": true, "entity": "Note", "subentities": ["Sketch", "Photo"]],
        ["member": "notes", "many": true, "entity": "Note", "inverse": "owner"],
      ]
    )
    #expect(manifest.entities[1].references[1].names == "Note or Sketch or Photo")
    #expect(manifest.json["entities"]?.array?[1]["schema"] == nil)
    #expect(manifest.bytes.last == 0x0A)
  }

  @Test func `a new manifest leaves out missing values`() {
    let manifest = PackageManifest(
      tool: .init(version: "1"),
      source: .init(kind: "k", store: "s", digest: Digest(repeating: 1), modelOrigin: "o"),
      profile: .init(app: "a", digest: Digest(repeating: 2)),
      entities: [.init(name: "Note", schema: nil, role: "own", key: "id")]
    )
    #expect(manifest.entities[0].records == 0 && manifest.entities[0].rejected == 0)
    #expect(manifest.media.files == 0 && manifest.media.bytes == 0)
    #expect(manifest.tool.name == "ferry")
  }

  @Test(arguments: [
    (#""size": 4"#, #""size": -4"#), (#""records": 1"#, #""records": -1"#),
    (#""entity": "Owner""#, #""entity": """#), (#""name": "Note""#, #""name": 5"#),
    (#""Sketch""#, #""""#), ("{", "["), (#""format": "1.0""#, #""format": "one""#),
    (#""role": "own""#, #""rule": "own""#), (#""origin": "store""#, #""origin": null"#),
    (#""references": ["#, #""links": ["#), (#""path": "data/x""#, #""path": "../x""#),
    (#""path": "data/x""#, #""path": "data/x\u0000""#),
  ])
  func `a manifest with an invalid value is damaged`(word: String, other: String) throws {
    var manifest = PackageFixture.manifest
    manifest.entities = [manifest.entities[1]]
    manifest.entities[0].records = 1
    manifest.entities[0].references[0].entities.append("Sketch")
    manifest.files = [.init(path: "data/x", size: 4, sha256: Digest(repeating: 8))]
    let said = try #require(try JSONValue(parsing: manifest.bytes)["selfDigest"]?.text)
    let text = String(decoding: manifest.bytes, as: UTF8.self)
    #expect(text.contains(word))
    let changed = text.replacing(said, with: ManifestDigest.blank)
      .replacing(word, with: other, maxReplacements: 1)
    let error = #expect(throws: PackageError.self) {
      try PackageManifest(bytes: ManifestDigest.filled(in: Array(changed.utf8)), path: "P")
    }
    guard case .damaged("P", let reason) = error else {
      Issue.record("it said \(String(describing: error))")
      return
    }
    #expect(!reason.contains("not as it was written"))
  }

  @Test func `a format version has at most six digits on either side`() {
    #expect(PackageFormat("1.100000") == PackageFormat(major: 1, minor: 100_000))
    #expect(PackageFormat("100000.0") == PackageFormat(major: 100_000, minor: 0))
    for text in ["1.1000000", "1000000.1", "1.+1", "1. 1", "1..0", ".1.0", "1.0.", ""] {
      #expect(PackageFormat(text) == nil, "\(text)")
    }
  }

  // MARK: - A package that lacks only its name

  @Test(arguments: [false, true])
  func `an unnamed package of other content is written again`(isSealed: Bool) throws {
    let keys = isSealed ? sealed : .none
    let partial = fixture.package + ".partial"
    try fixture.write(binding: PackageFixture.binding(source: Digest(repeating: 9)), keys: keys)
    // The manifest names its source; that of the fixture is what `binding()` says.
    try Folder.publish(fixture.package, as: partial)
    let other = PackageBinding(
      source: Digest(repeating: 9),
      profile: PackageFixture.profile,
      tool: "1.2.3"
    )
    do {
      let opening = try PackageWriter.open(fixture.package, binding: other, keys: keys)
      guard case .writing = opening else {
        Issue.record("it was taken for another")
        return
      }
    }
    #expect(!InputFile.isPresent(fixture.package))
  }

  @Test func `a complete but unnamed encrypted package gets its name if it can be read`()
    throws
  {
    let partial = fixture.package + ".partial"
    let binding = PackageFixture.binding()
    try fixture.write(keys: sealed)
    try Folder.publish(fixture.package, as: partial)
    let opening = try PackageWriter.open(fixture.package, binding: binding, keys: sealed)
    guard case .alreadyPresent(let reader) = opening else {
      Issue.record("it was written anew")
      return
    }
    #expect(reader.isSealed && InputFile.isPresent(fixture.package))
    // For others, in the open, or without an identity it is made again.
    let otherKeys = PackageKeys(
      recipients: [identity.recipient, AgeIdentity().recipient],
      identities: [identity]
    )
    let others = [
      otherKeys, PackageKeys(identities: [identity]), PackageKeys(recipients: [identity.recipient]),
    ]
    for keys in others {
      try Folder.remove(fixture.package)
      try Folder.remove(partial)
      try fixture.write(keys: sealed)
      try Folder.publish(fixture.package, as: partial)
      let opening = try PackageWriter.open(fixture.package, binding: binding, keys: keys)
      guard case .writing = opening else {
        Issue.record("it was taken for one with other keys")
        return
      }
    }
  }

  @Test func `a package that is still being written is not taken for finished`() throws {
    try fixture.write()
    let partial = fixture.package + ".partial"
    try Folder.publish(fixture.package, as: partial)
    try WholeFile.replace(partial + "/progress.json", with: Array("{}".utf8))
    let opening = try PackageWriter.open(fixture.package, binding: PackageFixture.binding())
    guard case .writing = opening else {
      Issue.record("it was taken for finished")
      return
    }
  }

  @Test func `a finished part can be read back if an identity opens it`() throws {
    let recipients = [identity.recipient]
    for (keys, canReadBack) in [
      (PackageKeys.none, true), (sealed, true), (PackageKeys(recipients: recipients), false),
    ] {
      let writer = try writer("\(fixture.folder)/\(canReadBack)-\(keys.encrypts)", keys: keys)
      #expect(writer.canReadBack == canReadBack)
    }
    #expect(PackageKeys(recipients: recipients + recipients).recipients == recipients)
  }
}
