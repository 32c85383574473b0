import Files
import Foundation
import ManagedObjectModels
import Testing

/// What a person may give for a model: bundles, single files, and what only looks like one.
struct `Bundles of models` {
  private let folder: ModelFolder

  init() throws { folder = try ModelFolder() }

  /// A compiled model with one entity of that name.
  private func compiled(_ name: String) -> String {
    var archive = CompiledModel()
    let entity = archive.entity(name, [])
    return String(decoding: archive.bytes([(name, entity)]), as: UTF8.self)
  }

  private func refusal(of path: String) -> ModelFault? {
    #expect(throws: ModelFault.self) { try GivenModels.candidates(at: path) }
  }

  @Test func `a compiled model may be an archive in XML`() throws {
    let path = try folder.write("M.mom", compiled("Song"))
    let candidate = try #require(GivenModels.candidates(at: path).first)
    #expect(candidate.form == .compiled)
    #expect(try candidate.model().entities.keys.sorted() == ["Song"])
  }

  @Test func `a bundle has the versions of its models, their hashes and the current one`() throws {
    try folder.write("App.momd/App.mom", compiled("Song"))
    try folder.write("App.momd/App 2.mom", compiled("Song"))
    try folder.write(
      "App.momd/VersionInfo.plist",
      """
      <?xml version="1.0"?><plist version="1.0"><dict>
      <key>NSManagedObjectModel_CurrentVersionName</key><string>App 2</string>
      <key>NSManagedObjectModel_VersionHashes</key><dict><key>App 2</key>
      <dict><key>Song</key><data>AQI=</data></dict></dict></dict></plist>
      """
    )
    let candidates = try GivenModels.candidates(at: folder.path + "/App.momd")
    #expect(candidates.filter(\.isCurrent).map(\.name) == ["App 2"])
    let one = try GivenModels.candidates(at: folder.path + "/App.momd/App 2.mom")
    #expect(one.map(\.isCurrent) == [true])
    #expect(one.map(\.versionHashes) == [["Song": [1, 2]]])
    let other = try GivenModels.candidates(at: folder.path + "/App.momd/App.mom")
    #expect(other.map(\.isCurrent) == [false])
  }

  @Test func `a list of versions that cannot be read is named`() throws {
    try folder.write("App.momd/App.mom", compiled("Song"))
    let list = try folder.write("App.momd/VersionInfo.plist", "bplist00")
    #expect(refusal(of: folder.path + "/App.momd")?.path == list)
  }

  @Test func `a damaged model is refused with its file`() throws {
    let path = try folder.write("M.mom", "bplist00 and no more")
    let candidate = try #require(GivenModels.candidates(at: path).first)
    let fault = #expect(throws: ModelFault.self) { try candidate.model() }
    #expect(fault?.path == path)
    #expect(fault?.description.hasPrefix("\(path): ") == true)
  }

  @Test func `a source is known by its root element, with white space before it or not`() throws {
    let path = try folder.write("contents.txt", "\n  <model><entity name=\"A\"/></model>")
    let candidate = try #require(GivenModels.candidates(at: path).first)
    #expect(candidate.form == .source)
    #expect(try candidate.model().entities.keys.sorted() == ["A"])
  }

  @Test func `a model source is given by its folder, and counts as its current version`() throws {
    try folder.write("App 3.xcdatamodel/contents", "<model><entity name=\"A\"/></model>")
    let candidates = try GivenModels.candidates(at: folder.path + "/App 3.xcdatamodel")
    #expect(candidates.map(\.name) == ["App 3"])
    #expect(candidates.map(\.isCurrent) == [true])
  }

  @Test func `XML of another kind is refused as a model source`() throws {
    let path = try folder.write("contents", "<?xml version=\"1.0\"?><html/>")
    let candidate = try #require(GivenModels.candidates(at: path).first)
    let fault = #expect(throws: ModelFault.self) { try candidate.model() }
    #expect(fault?.reason.contains("root element is not “model”") == true)
  }

  @Test func `an optimized model alone is refused with the file to give instead`() throws {
    try folder.write("App.momd/App.omo", "momv2$[]0000")
    let fault = refusal(of: folder.path + "/App.momd")
    #expect(fault?.reason.contains("optimized") == true)
    #expect(fault?.cure.contains("the .mom of the same name") == true)
  }

  @Test func `a model source of Xcode 3 is refused by its kind, however it is given`() throws {
    try folder.write("M.xcdatamodeld/M.xcdatamodel/elements", "bplist00")
    for path in ["M.xcdatamodeld", "M.xcdatamodeld/M.xcdatamodel/elements"] {
      #expect(refusal(of: folder.path + "/" + path)?.reason.contains("Xcode 3") == true, "\(path)")
    }
  }

  @Test func `a bundle of empty versions holds no model`() throws {
    try Folder.make(folder.path + "/M.xcdatamodeld/M.xcdatamodel")
    try Folder.make(folder.path + "/M.xcdatamodeld/M 2.xcdatamodel")
    let fault = refusal(of: folder.path + "/M.xcdatamodeld")
    #expect(fault?.reason.contains("holds no model") == true)
  }

  @Test func `a file larger than any model is refused before it is read`() throws {
    let path = try folder.write("M.mom", "bplist00")
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: 65 << 20)
    try file.close()
    let candidate = try #require(GivenModels.candidates(at: path).first)
    let fault = #expect(throws: ModelFault.self) { try candidate.model() }
    #expect(fault?.reason.contains("no model is that large") == true)
  }

  @Test func `a missing model file is refused with its path`() throws {
    let path = try folder.write("M.mom", compiled("Song"))
    let candidate = try #require(GivenModels.candidates(at: path).first)
    try FileManager.default.removeItem(atPath: path)
    let fault = #expect(throws: ModelFault.self) { try candidate.model() }
    #expect(fault?.reason.contains(path) == true)
    #expect(fault?.cure == "check the path")
  }

  @Test(
    arguments: [
      [0x4B, 0x4C], [0xFF, 0xFF, 0xFF], [],
    ] as [[UInt8]]
  )
  func `a damaged model cache is refused as damaged`(bytes: [UInt8]) {
    let fault = #expect(throws: ModelFault.self) { try ManagedObjectModel(deflated: bytes) }
    #expect(fault?.reason.contains("its compressed form is damaged") == true)
  }

  @Test func `a model cache that unfolds to more than any model has is refused for its size`() {
    // Blocks that are stored as they are: not the last, 65,535 bytes, and their complement.
    let block = [0x00, 0xFF, 0xFF, 0x00, 0x00] + [UInt8](repeating: 0, count: 65_535)
    let bytes = Array(repeatElement(block, count: 130).joined())
    let fault = #expect(throws: ModelFault.self) { try ManagedObjectModel(deflated: bytes) }
    #expect(fault?.reason == "it unfolds to more than the 8 MiB that are read")
  }
}
