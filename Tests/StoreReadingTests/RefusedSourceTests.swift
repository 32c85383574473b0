import Files
import PropertyLists
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Files that are no store: refused for what they are, with what to give instead.
struct `Sources that are refused` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func refusal(_ name: String, _ options: Source.Options = .init()) -> StoreError? {
    #expect(throws: StoreError.self) {
      try Source(folder.path + "/" + name, options: options, into: folder.path + "/private")
    }
  }

  @Test(
    arguments: [
      ([0x37, 0x7F, 0x06, 0x82] + Array(repeating: 0, count: 28), "keep this file beside it"),
      ([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7], "keep this file beside it"),
      (Array("CoreData".utf8) + [0, 0, 0, 0], "convert it to an SQLite store on a Mac"),
      ([], "a store is never empty"), (Array("hello".utf8), "the file the app keeps its data in"),
      ((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }, "sqlcipher_export"),
    ] as [([UInt8], String)]
  )
  func `a file that is not a store is refused with the file to give instead`(
    bytes: [UInt8],
    cure: String
  ) throws {
    try folder.write("given", bytes)
    let error = refusal("given")
    #expect(error?.cure.contains(cure) == true, "\(error.map { "\($0): \($0.cure)" } ?? "")")
    #expect(error?.description.contains(folder.path + "/given") == true)
  }

  @Test func `a file that is not there is refused with its path`() {
    let error = refusal("gone.store")
    #expect(error?.description.contains(folder.path + "/gone.store") == true)
    #expect(error?.cure == "check the path")
  }

  @Test func `property lists without preferences are refused with the file to give instead`() throws
  {
    try folder.write("list.plist", PropertyListWriter.bytes(.array([])))
    #expect(refusal("list.plist")?.cure.contains("Library/Preferences") == true)
    try folder.write("cut.plist", Array("bplist00 and no more".utf8))
    let error = refusal("cut.plist")
    #expect(error?.description.hasPrefix(folder.path + "/cut.plist: ") == true)
    #expect(error?.cure.contains("give another copy") == true)
  }

  @Test func `a folder without a store says where to look`() throws {
    try Folder.make(folder.path + "/empty")
    #expect(refusal("empty")?.cure.contains("ferry inspect") == true)
  }

  @Test func `damage, lost metadata and a foreign model each have a cure`() throws {
    let path = try SampleStore.build(in: folder, also: "UPDATE Z_METADATA SET Z_PLIST = x'00'")
    let metadata = refusal(Folder.lastName(of: path))
    #expect(metadata?.description.contains("Z_METADATA cannot be read") == true)
    #expect(metadata?.cure.contains("give another copy") == true)
    let none = try SampleStore.build(in: folder, name: "none", also: "DELETE FROM Z_METADATA")
    #expect(refusal(Folder.lastName(of: none))?.description.contains("Z_METADATA") == true)
    let whole = try InputFile.contents(of: path)
    try folder.write("half", Array(whole[..<(whole.count / 2)]))
    #expect(refusal("half")?.cure.contains("--read-damaged") == true)
    // The cures: another copy, and what can still be read.
    try folder.write("half", whole)
    try SampleDatabase(folder.path + "/half").run("UPDATE Z_METADATA SET Z_PLIST = NULL")
    _ = try Source(folder.path + "/half", into: folder.path + "/private")
  }

  @Test func `a database of another app is refused where Core Data is meant`() throws {
    let path = folder.path + "/plain.sqlite"
    try SampleDatabase(path).run("CREATE TABLE song (title TEXT)")
    let error = #expect(throws: StoreError.self) { try SampleStore.open(path, in: folder) }
    #expect(error?.cure.contains("Z_PRIMARYKEY") == true)
  }

  @Test func `an ambiguous file name is refused with the right form`() throws {
    let path = folder.path + "/container/Library/Preferences"
    try Folder.make(path)
    for name in ["a", "b"] {
      let list = PropertyList.dictionary([.init(name: "x", value: .boolean(true))])
      try folder.write(
        "container/Library/Preferences/\(name).plist",
        PropertyListWriter.bytes(list)
      )
    }
    let choice = StoreChoice(name: "settings", pattern: "Library/Preferences/*.plist")
    let error = refusal("container", Source.Options(stores: [choice]))
    #expect(error?.description.contains("a.plist") == true)
    #expect(error?.cure == "write the path of the one that is meant")
  }
}
