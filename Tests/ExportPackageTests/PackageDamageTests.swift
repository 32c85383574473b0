import AgeEncryption
import ExportPackage
import Files
import Foundation
import Records
import Testing

/// Packages that are not as they were written: what is said of them.
struct PackageDamageTests {
  private let fixture: PackageFixture
  private let identity = AgeIdentity()

  init() throws { fixture = try PackageFixture() }

  private var sealed: PackageKeys {
    PackageKeys(recipients: [identity.recipient], identities: [identity])
  }

  private func replace(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
    let path = "\(fixture.package)/\(name)"
    var bytes = try InputFile.contents(of: path)
    change(&bytes)
    try WholeFile.replace(path, with: bytes)
  }

  private func causes() throws -> [String] {
    try PackageReader(fixture.package, identities: [identity]).damages().map(\.cause)
  }

  @Test func `an unreadable list of digests is reported, in an encrypted package too`() throws {
    try fixture.write(keys: sealed)
    try replace("SHA256SUMS") { $0 = Array("not a digest\n".utf8) }
    #expect(try causes() == ["a line cannot be read"])
  }

  @Test func `a list of digests that leads out of an encrypted package is reported`() throws {
    try fixture.write(keys: sealed)
    let line = String(repeating: "0", count: 64) + "  ../passwords\n"
    try replace("SHA256SUMS") { $0 += Array(line.utf8) }
    #expect(try causes().contains("it lies outside the package"))
  }

  @Test func `an encrypted package without its list of digests is refused for that`() throws {
    try fixture.write(keys: sealed)
    try Folder.remove("\(fixture.package)/SHA256SUMS")
    #expect(try causes() == ["the list of digests is missing"])
  }

  @Test func `an encrypted package of a newer major is refused`() throws {
    try fixture.write(keys: sealed)
    let marker = "encrypted.json"
    try replace(marker) { bytes in
      let newer = String(decoding: bytes, as: UTF8.self).split(separator: "\"1.").joined(
        separator: "\"2."
      )
      bytes = Array(newer.utf8)
    }
    let error = #expect(throws: PackageError.self) {
      try PackageReader(fixture.package, identities: [identity])
    }
    guard case .tooNew = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a file larger than in the manifest is reported without being read`() throws {
    let manifest = try fixture.write()
    let file = try #require(manifest.dataFiles(of: "Owner").first).path
    let handle = try #require(FileHandle(forWritingAtPath: "\(fixture.package)/\(file)"))
    // Nearly all of it is a hole, which takes no space and much time.
    try handle.truncate(atOffset: 1 << 40)
    try handle.close()
    #expect(try causes() == ["its content was changed"])
  }

  @Test(arguments: [true, false])
  func `a link in the place of a file or of a folder is reported, wherever it leads`(
    isFolder: Bool
  ) throws {
    let manifest = try fixture.write()
    let file = try #require(manifest.dataFiles(of: "Owner").first).path
    let place = "\(fixture.package)/\(isFolder ? "data" : file)"
    try FileManager.default.moveItem(atPath: place, toPath: fixture.package + "-elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: place,
      withDestinationPath: fixture.package + "-elsewhere"
    )
    let found = try causes()
    let behind = isFolder ? manifest.files.count { $0.path.hasPrefix("data/") } : 1
    #expect(found.count == behind)
    #expect(found.allSatisfy { $0.hasPrefix("it is a link") })
  }

  @Test(arguments: ["../Hero.json", "a/Hero.json", "..", "/Hero.json"])
  func `a schema has the name of one file, and is written nowhere else`(name: String) throws {
    let opening = try PackageWriter.open(fixture.package, binding: PackageFixture.binding())
    guard case .writing(let writer) = opening else {
      Issue.record("a package is there already")
      return
    }
    let error = #expect(throws: PackageError.self) { try writer.addSchema(name, [0x7B, 0x7D]) }
    #expect(error?.description.contains("leads out of the package") == true)
  }

  @Test func `a manifest of more than 24 MiB is refused before it is read`() throws {
    try fixture.write()
    let path = "\(fixture.package)/manifest.json"
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.truncate(atOffset: 25 << 20)
    try handle.close()
    let error = #expect(throws: PackageError.self) { try PackageReader(fixture.package) }
    #expect(error?.description.contains("manifest.json") == true)
  }

  @Test func `faults of a package are reported as damage`() throws {
    try fixture.write()
    try Folder.remove("\(fixture.package)/SHA256SUMS")
    #expect(try PackageReader(fixture.package).damages().allSatisfy(\.reportsDamage))
  }

  @Test func `a data file whose last line has no end is refused, by records and by blocks`() throws
  {
    let manifest = try fixture.write()
    let file = try #require(manifest.dataFiles(of: "Owner").first).path
    try replace(file) { $0[$0.count - 1] = UInt8(ascii: " ") }
    let reader = try PackageReader(fixture.package)
    let reason = "its last line has no end"
    let wanted = PackageError.damaged(path: "\(fixture.package)/\(file)", reason: reason)
    #expect(throws: wanted) {
      let records = try reader.records(of: "Owner")
      while try records.next() != nil {}
    }
    #expect(throws: wanted) {
      let records = try reader.records(of: "Owner")
      while try records.nextBlock() != nil {}
    }
  }

  @Test func `a place in a missing file of the package is refused`() throws {
    try fixture.write()
    let reader = try PackageReader(fixture.package)
    let elsewhere = RecordPlace(file: "data/Owner-00099.jsonl", offset: 0, length: 1)
    #expect(throws: PackageError.self) { try reader.records(of: "Owner", after: elsewhere) }
    let outside = RecordPlace(file: "../secret", offset: 0, length: 1)
    let error = #expect(throws: PackageError.self) { try reader.line(at: outside) }
    #expect(error?.description.contains("“../secret” leads out of the package") == true)
  }

  @Test func `an earlier run's notes of an encrypted package are opened by its identities`()
    throws
  {
    try fixture.write(keys: sealed)
    let reader = try PackageReader(fixture.package, identities: [identity])
    let kept = reader.kept([1, 2, 3])
    #expect(kept != [1, 2, 3])
    #expect(try reader.opened(kept) == [1, 2, 3])
    #expect(try reader.opened([7]) == [7])
    #expect(throws: PackageError.self) { try reader.opened(Array(kept.dropLast())) }
    let foreign = AgeText.sealed([1], for: [AgeIdentity().recipient])
    let error = #expect(throws: PackageError.self) { try reader.opened(foreign) }
    guard case .notForUs = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `an earlier run's notes of an open package are unencrypted`() throws {
    try fixture.write()
    #expect(try PackageReader(fixture.package).kept([1, 2]) == [1, 2])
  }

  @Test func `all schemas of a package are listed with their names`() throws {
    try fixture.write()
    let schemas = try PackageReader(fixture.package).schemas()
    #expect(schemas.map(\.name) == ["owner.json"])
    #expect(schemas.map(\.bytes) == [Array("{}".utf8)])
  }

  // MARK: - Packages that are at odds with themselves

  /// What is said of a package whose manifest was changed, and says so of itself.
  private func findings(
    _ change: (inout PackageManifest) throws -> Void
  ) throws -> [String] {
    var manifest = try fixture.write(rows: 12)
    try change(&manifest)
    try WholeFile.replace("\(fixture.package)/manifest.json", with: manifest.bytes)
    return try PackageReader(fixture.package).damages().map {
      "\($0.file ?? "-"): \($0.cause)"
    }
  }

  @Test func `a wrong count of records or of rejected rows is reported`()
    throws
  {
    #expect(try findings { _ in } == [])
    let reported = ["manifest.json: it counts other records of Note than its files hold"]
    for change in [1, -1] as [Int64] {
      try Folder.remove(fixture.package)
      #expect(try findings { $0.entities[1].records += change } == reported)
      try Folder.remove(fixture.package)
      #expect(try findings { $0.entities[1].rejected += change } == reported)
    }
    try Folder.remove(fixture.package)
    #expect(
      try findings { $0.entities[2].records = 1 } == [
        "manifest.json: it counts other records of Empty than its files hold"
      ]
    )
  }

  @Test func `a file without a known entity is reported`() throws {
    func index(_ manifest: PackageManifest, _ folder: String) throws -> Int {
      try #require(manifest.files.firstIndex { $0.path.hasPrefix(folder) })
    }
    for folder in ["data/", "rejected/"] {
      for change in 0..<3 {
        try Folder.remove(fixture.package)
        var path = ""
        let found = try findings { manifest in
          let place = try index(manifest, folder)
          path = manifest.files[place].path
          switch change {
          case 0: manifest.files[place].entity = nil
          case 1: manifest.files[place].records = nil
          default: manifest.files[place].entity = "Stranger"
          }
        }
        #expect(
          found.first == "\(path): the manifest does not say whose records it holds",
          "\(change)"
        )
      }
    }
  }

  @Test func `a file that is missing from the list of digests, or outside, is reported`() throws {
    let manifest = try fixture.write(rows: 12)
    let list = "\(fixture.package)/SHA256SUMS"
    let text = String(decoding: try InputFile.contents(of: list), as: UTF8.self)
    let left = try #require(manifest.files.first).path
    let digits = String(repeating: "0", count: 64)
    let kept = text.split(separator: "\n").filter { !$0.hasSuffix(left) }.map(String.init)
    let lines = kept + ["\(digits)  ../x", "\(digits)  data/none"]
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    try WholeFile.replace(list, with: bytes)
    var changed = manifest
    changed.sums = Digest(bytes: try FileSource(list).sha256().digest)
    try WholeFile.replace("\(fixture.package)/manifest.json", with: changed.bytes)
    let found = try PackageReader(fixture.package).damages().map { "\($0.file ?? ""): \($0.cause)" }
    #expect(
      found == [
        "../x: it lies outside the package", "data/none: it is missing",
        "\(left): the list of digests does not name it",
      ]
    )
  }

  /// What is found once the list of digests says otherwise, and the manifest has that list's digest.
  private func findings(
    editing edit: ([String], PackageManifest) -> [String],
    manifest change: (inout PackageManifest) -> Void = { _ in }
  ) throws -> [String] {
    var manifest = try fixture.write(rows: 12)
    let list = "\(fixture.package)/SHA256SUMS"
    let text = String(decoding: try InputFile.contents(of: list), as: UTF8.self)
    let lines = edit(text.split(separator: "\n").map(String.init), manifest)
    try WholeFile.replace(list, with: Array(lines.map { $0 + "\n" }.joined().utf8))
    manifest.sums = Digest(bytes: try FileSource(list).sha256().digest)
    change(&manifest)
    try WholeFile.replace("\(fixture.package)/manifest.json", with: manifest.bytes)
    return try PackageReader(fixture.package).damages().map { "\($0.file ?? ""): \($0.cause)" }
  }

  @Test func `a manifest with another digest of a file than the list of digests is damage`() throws
  {
    var path = ""
    let found = try findings(editing: { lines, _ in lines }) { manifest in
      path = manifest.files[0].path
      manifest.files[0].sha256 = Digest(repeating: 1)
    }
    #expect(
      found == ["\(path): the manifest and the list of digests have different digests of it"]
    )
  }

  @Test func `a file that only the list of digests names is damage`() throws {
    let found = try findings(editing: { lines, manifest in
      let name = manifest.files[0].path
      let copy = "\(fixture.package)/data/More-00001.jsonl"
      try? FileManager.default.copyItem(atPath: "\(fixture.package)/\(name)", toPath: copy)
      let line = lines.first { $0.hasSuffix(name) } ?? ""
      return lines + [line.replacing(name, with: "data/More-00001.jsonl")]
    })
    #expect(
      found == ["data/More-00001.jsonl: the list of digests names it, and the manifest does not"]
    )
  }

  @Test func `a count of media that is not that of the list of digests is damage`() throws {
    let found = try findings(editing: { lines, _ in lines }) { $0.media.files += 1 }
    #expect(found.count == 1 && found[0].hasPrefix("manifest.json: it counts"))
  }

  @Test func `a file named twice is damage`() throws {
    #expect(
      try findings(editing: { lines, _ in lines + [lines[0]] }) == [
        "SHA256SUMS: it names a file twice"
      ]
    )
    try Folder.remove(fixture.package)
    let found = try findings(editing: { lines, _ in lines }) { $0.files.append($0.files[0]) }
    #expect(found.contains { $0.hasSuffix("the manifest names it twice") })
  }

  @Test func `files that do not belong to a package are listed, and do not damage it`() throws {
    try fixture.write(rows: 6)
    let package = fixture.package
    #expect(try PackageReader(package).unnamedFiles().isEmpty)
    for name in [".DS_Store", "data/Extra-00001.jsonl", "media/sha256/none"] {
      try Folder.make(Folder.parentPath(of: "\(package)/\(name)"))
      try WholeFile.replace("\(package)/\(name)", with: [1])
    }
    let reader = try PackageReader(package)
    #expect(try reader.damages().isEmpty)
    let found = try reader.unnamedFiles()
    #expect(
      found.compactMap(\.file) == [".DS_Store", "data/Extra-00001.jsonl", "media/sha256/none"]
    )
    #expect(found.allSatisfy { $0.code == "package.unnamed-file" && $0.severity == .warning })
  }

  @Test func `a line of the list without a digest is reported`() throws {
    var manifest = try fixture.write(rows: 6)
    let list = "\(fixture.package)/SHA256SUMS"
    try WholeFile.replace(list, with: Array("no digest  data/x\n".utf8))
    manifest.sums = Digest(bytes: try FileSource(list).sha256().digest)
    try WholeFile.replace("\(fixture.package)/manifest.json", with: manifest.bytes)
    #expect(try causes() == ["a line cannot be read"])
  }
}
