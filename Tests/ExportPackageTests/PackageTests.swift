import ExportPackage
import Files
import JSONText
import Records
import Testing

@Suite struct PackageTests {
  private let fixture: PackageFixture

  init() throws {
    fixture = try PackageFixture()
  }

  private func lines(_ reader: PackageReader, _ entity: EntityName) throws -> [String] {
    let stream = try reader.records(of: entity)
    var lines: [String] = []
    while let record = try stream.next() {
      lines.append(String(decoding: record.line, as: UTF8.self))
    }
    return lines
  }

  @Test func `written content is read`() throws {
    let written = try fixture.write()
    let reader = try PackageReader(fixture.package)
    #expect(reader.manifest == written)
    let owners = try lines(reader, "Owner")
    #expect(owners.count == 51)
    #expect(owners.first == #"{"$id":"1","text":"Owner 1"}"#)
    #expect(owners.last == #"{"$id":"60","text":"Owner 60"}"#)
    #expect(try lines(reader, "Empty").isEmpty)
    let entity = try #require(reader.manifest.entity("Owner"))
    #expect(entity.records == 51)
    #expect(entity.rejected == 9)
    #expect(entity.tallies == ["media.present": 10])
    #expect(entity.omitted == ["secret"])
    #expect(reader.manifest.media == .init(files: 4, bytes: 38))
    #expect(try reader.damages().isEmpty)
    #expect(!InputFile.isPresent(fixture.package + ".partial"))
  }

  @Test func `a record is found by its place, and reading continues after it`() throws {
    try fixture.write()
    let reader = try PackageReader(fixture.package)
    let stream = try reader.records(of: "Note")
    var places: [RecordPlace] = []
    while let record = try stream.next() {
      #expect(try reader.line(at: record.place) == Array(record.line))
      places.append(record.place)
    }
    #expect(Set(places.map(\.file)).count > 3)
    for index in [0, 7, 20, places.count - 1] {
      let rest = try reader.records(of: "Note", after: places[index])
      var count = 0
      while let record = try rest.next() {
        count += 1
        #expect(record.place == places[index + count])
      }
      #expect(count == places.count - index - 1)
    }
  }

  @Test func `an export that was cut anywhere ends with the same bytes`() throws {
    try fixture.write()
    let whole = try PackageFixture.contents(of: fixture.package)
    for steps in [0, 1, 6, 9, 10, 11, 30, 55, 60, 61, 75, 90, 119] {
      let path = "\(fixture.folder)/CUT-\(steps)"
      #expect(throws: PackageFixture.Cut.self) { try fixture.write(steps: steps, path: path) }
      #expect(throws: PackageFixture.Cut.self) { try fixture.write(steps: 3, path: path) }
      try fixture.write(path: path)
      #expect(try PackageFixture.contents(of: path) == whole, "cut after \(steps) rows")
    }
  }

  @Test func `an export that restarts after a cut ends with the same bytes`() throws {
    try fixture.write()
    let whole = try PackageFixture.contents(of: fixture.package)
    let path = "\(fixture.folder)/AGAIN"
    #expect(throws: PackageFixture.Cut.self) { try fixture.write(steps: 50, path: path) }
    let opening = try PackageWriter.open(path, binding: PackageFixture.binding(), chunkSize: 256)
    guard case .writing(let writer) = opening else {
      Issue.record("the package is there")
      return
    }
    #expect(writer.isResumed)
    #expect(try writer.written(of: "Owner").next() != nil)
    try writer.startOver()
    #expect(!writer.isResumed)
    #expect(try writer.written(of: "Owner").next() == nil)
    #expect(writer.lastPlace(of: "Owner") == nil)
    try fixture.write(into: writer)
    #expect(try PackageFixture.contents(of: path) == whole)
  }

  @Test func `a complete but unnamed package gets its name`() throws {
    try fixture.write()
    try Folder.publish(fixture.package, as: fixture.package + ".partial")
    let opening = try PackageWriter.open(fixture.package, binding: PackageFixture.binding())
    guard case .alreadyPresent(let package) = opening else {
      Issue.record("the package is written again")
      return
    }
    #expect(package.manifest.binding == PackageFixture.binding())
    #expect(try PackageReader(fixture.package).damages().isEmpty)
  }

  @Test func `a killed run's lock beside its finished package is removed by the next run`()
    throws
  {
    try fixture.write()
    let lock = fixture.package + ".lock"
    try WholeFile.replace(lock, with: Array("4711\n".utf8))
    _ = try PackageWriter.open(fixture.package, binding: PackageFixture.binding())
    #expect(!InputFile.isPresent(lock))
  }

  @Test func `a finished package whose lock another process holds is still found`() throws {
    try fixture.write()
    let lock = fixture.package + ".lock"
    let held = try LockFile(taking: lock)
    let opening = try PackageWriter.open(fixture.package, binding: PackageFixture.binding())
    guard case .alreadyPresent = opening else {
      Issue.record("the package is written again")
      return
    }
    #expect(InputFile.isPresent(lock))
    _ = consume held
  }

  @Test func `a killed run's half-written part does not belong to the package`() throws {
    let whole = try PackageFixture()
    try whole.write()
    let fixture = try PackageFixture()
    #expect(throws: PackageFixture.Cut.self) { try fixture.write(steps: 50) }
    try WholeFile.replace("\(fixture.package).partial/progress.json.4711.draft", with: [0x7B])
    try fixture.write()
    let contents = try PackageFixture.contents(of: fixture.package)
    #expect(try contents == PackageFixture.contents(of: whole.package))
  }

  /// Names are safe only once their folder was synced, and a power cut may spare one and not another.
  @Test(arguments: ["data", "media", "media/sha256", "schemas"])
  func `a folder that a power cut removed is created again from the journal`(name: String) throws {
    let whole = try PackageFixture()
    try whole.write()
    let fixture = try PackageFixture()
    #expect(throws: PackageFixture.Cut.self) { try fixture.write(steps: 0) }
    try Folder.remove("\(fixture.package).partial/\(name)")
    try fixture.write()
    let contents = try PackageFixture.contents(of: fixture.package)
    #expect(try contents == PackageFixture.contents(of: whole.package))
  }

  @Test func `a package is written by one run at a time, and its lock ends with the writer`() throws
  {
    let fixture = try PackageFixture()
    let binding = PackageFixture.binding()
    let first = try PackageWriter.open(fixture.package, binding: binding)
    let error = #expect(throws: PackageError.self) {
      _ = try PackageWriter.open(fixture.package, binding: binding)
    }
    guard case .busy = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    withExtendedLifetime(first) {}
    try fixture.write(path: "\(fixture.folder)/other")
    #expect(!InputFile.isPresent("\(fixture.folder)/other.lock"))
  }

  @Test func `another source's unfinished package is discarded`() throws {
    let other = PackageFixture.binding(source: Digest(repeating: 9))
    #expect(throws: PackageFixture.Cut.self) { try fixture.write(steps: 90, binding: other) }
    try fixture.write()
    #expect(try PackageReader(fixture.package).damages().isEmpty)
    #expect(try lines(try PackageReader(fixture.package), "Owner").count == 51)
  }

  @Test func `a picture that changed during an interruption leaves no old copy`() throws {
    let path = "\(fixture.folder)/CUT"
    let file = "\(fixture.folder)/picture-5"
    try WholeFile.replace(file, with: Array("older".utf8))
    #expect(throws: PackageFixture.Cut.self) { try fixture.write(steps: 6, path: path) }
    let cut = try PackageFixture.contents(of: path + ".partial")
    #expect(cut.values.contains(Array("older".utf8)))
    try WholeFile.replace(file, with: Array("picture 5".utf8))
    try fixture.write(path: path)
    try fixture.write()
    let (resumed, whole) = (
      try PackageFixture.contents(of: path), try PackageFixture.contents(of: fixture.package)
    )
    #expect(resumed == whole)
  }

  @Test func `data, schemas and rejected rows have their places`() throws {
    try fixture.write()
    let reader = try PackageReader(fixture.package)
    #expect(reader.manifest.files.map(\.path).contains("data/Owner-00001.jsonl"))
    #expect(reader.manifest.files.map(\.path).contains("schemas/owner.json"))
    #expect(reader.manifest.files.contains { $0.path.hasPrefix("rejected/Note-") })
  }
}

@Suite struct ManifestTests {
  private let fixture: PackageFixture

  init() throws {
    fixture = try PackageFixture()
  }

  private func edit(_ body: (inout JSONObject) -> Void) throws -> Result<
    PackageManifest, PackageError
  > {
    try fixture.write()
    let place = "\(fixture.package)/manifest.json"
    var object = try #require(try JSONValue(parsing: InputFile.contents(of: place)).object)
    body(&object)
    // As a program of that version would have written it.
    object["selfDigest"] = .string(ManifestDigest.blank)
    let bytes = ManifestDigest.filled(in: Array(JSONValue.object(object).prettyText.utf8))
    try WholeFile.replace(place, with: bytes)
    return Result { () throws(PackageError) in try PackageReader(fixture.package).manifest }
  }

  @Test func `a newer major is refused`() throws {
    let found = try edit { $0["format"] = "2.0" }
    #expect(found == .failure(.tooNew(path: fixture.package, format: "2.0", supported: "1.0")))
  }

  @Test func `a manifest without its own digest is damaged`() throws {
    try fixture.write()
    let place = "\(fixture.package)/manifest.json"
    var object = try #require(try JSONValue(parsing: InputFile.contents(of: place)).object)
    object["selfDigest"] = nil
    try WholeFile.replace(place, with: JSONValue.object(object).canonicalBytes)
    let error = #expect(throws: PackageError.self) { try PackageReader(fixture.package) }
    #expect(error?.description.contains("selfDigest") == true)
  }

  @Test func `a package of a newer minor version is read, and its additions are kept`() throws {
    let manifest = try edit {
      $0["format"] = "1.7"
      $0["colour"] = ["red"]
    }.get()
    #expect(manifest.format == PackageFormat(major: 1, minor: 7))
    #expect(manifest.json["colour"] == ["red"])
    #expect(try PackageManifest(bytes: manifest.bytes, path: "") == manifest)
  }

  @Test(arguments: ["format", "tool", "source", "profile", "entities", "files", "media"])
  func `a manifest without a part is damaged`(part: String) throws {
    let found = try edit { $0[part] = nil }
    guard case .failure(.damaged(_, let reason)) = found else {
      Issue.record("it was read")
      return
    }
    #expect(reason.contains(part))
  }

  @Test(arguments: [
    "../x", "/etc/x", "data/../../x", "a//b", "", ".", "a/.", "..", "a/", "a\u{0}b",
  ])
  func `a path that leads out is refused`(path: String) throws {
    let found = try edit {
      $0["files"] = [
        ["path": .string(path), "size": 1, "sha256": .string("\(PackageFixture.source)")]
      ]
    }
    #expect(throws: PackageError.self) { try found.get() }
  }

  @Test(arguments: ["1", "1.0.0", "01.0", "1.", "x.y", "-1.0", "1.1000000000"])
  func `a format version consists of two numbers`(text: String) {
    #expect(PackageFormat(text) == nil)
  }

  @Test func `a folder without a manifest is not a package`() {
    #expect(throws: PackageError.notAPackage(path: fixture.folder)) {
      try PackageReader(fixture.folder)
    }
  }

  @Test func `an empty folder is not reported as missing its manifest`() {
    #expect(throws: PackageError.missing(path: fixture.package)) {
      try PackageReader(fixture.package)
    }
  }

  @Test func `a slash at the end names the same package`() throws {
    try fixture.write()
    let expected = try PackageReader(fixture.package).digest
    try Folder.remove(fixture.package)
    try fixture.write(path: fixture.package + "/")
    #expect(try PackageReader(fixture.package).digest == expected)
  }
}

@Suite struct DamageTests {
  private let fixture: PackageFixture

  init() throws {
    fixture = try PackageFixture()
    try fixture.write()
  }

  private func damages() throws -> [String?] {
    try PackageReader(fixture.package).damages().map(\.file)
  }

  @Test func `every changed, missing and hidden file is named`() throws {
    try WholeFile.replace("\(fixture.package)/data/Owner-00002.jsonl", with: [1])
    try Folder.remove("\(fixture.package)/schemas/owner.json")
    #expect(try damages() == ["data/Owner-00002.jsonl", "schemas/owner.json"])
  }

  @Test func `a changed list of digests is noticed`() throws {
    try WholeFile.replace("\(fixture.package)/SHA256SUMS", with: [])
    #expect(try damages() == ["SHA256SUMS"])
    try Folder.remove("\(fixture.package)/SHA256SUMS")
    #expect(try damages() == ["SHA256SUMS"])
  }

  @Test func `a data file that is too short is not read`() throws {
    let place = "\(fixture.package)/data/Owner-00002.jsonl"
    let bytes = try InputFile.contents(of: place)
    try WholeFile.replace(place, with: Array(bytes.dropLast(3)))
    let stream = try PackageReader(fixture.package).records(of: "Owner")
    #expect(throws: PackageError.self) { while try stream.next() != nil {} }
  }
}
