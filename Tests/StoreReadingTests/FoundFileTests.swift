import Files
import PropertyLists
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// What the finder makes of the files of a container and of a backup.
struct `Files that are found` {
  private let folder: SampleFolder
  private let container: String

  init() throws {
    folder = try SampleFolder()
    container = folder.path + "/container"
    try write("Library/Preferences/com.example.app.plist", Self.list)
  }

  private static let list = PropertyListWriter.bytes(
    .dictionary([.init(name: "theme", value: .string("dark"))])
  )

  private func write(_ path: String, _ bytes: [UInt8]) throws {
    try Folder.make(Folder.parentPath(of: container + "/" + path))
    try folder.write("container/" + path, bytes)
  }

  private func inspection() throws -> ContainerInspection {
    try SourceFinder(container, into: folder.path + "/private").inspection
  }

  private static let forms: [(String, [UInt8])] = [
    ("PNG", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]), ("GIF", Array("GIF89a".utf8)),
    ("HEIC", Array("....ftypheic".utf8)), ("AVIF", Array("....ftypavif".utf8)),
    ("M4A", Array("....ftypM4A ".utf8)), ("QuickTime", Array("....ftypqt  ".utf8)),
    ("MP4", Array("....ftypisom".utf8)), ("WAV", Array("RIFF....WAVE".utf8)),
    ("WebP", Array("RIFF....WEBP".utf8)), ("MP3", Array("ID3.".utf8)),
    ("CAF", Array("caff".utf8)), ("FLAC", Array("fLaC".utf8)), ("Ogg", Array("OggS".utf8)),
    ("AIFF", Array("FORM....AIFF".utf8)), ("PDF", Array("%PDF-1.7".utf8)),
  ]

  @Test func `a media file's format is recognised by its first bytes`() throws {
    for (form, bytes) in Self.forms { try write("Documents/Media/\(form)", bytes) }
    try write("Documents/Media/frames", [0xFF, 0xFB, 0x90, 0x00])
    try write("Documents/Media/other", Array("RIFF....AVI ".utf8))
    let found = try inspection()
    var expected = Dictionary(uniqueKeysWithValues: Self.forms.map { ($0.0, 1) })
    expected["MP3"] = 2
    #expect(found.media.map(\.forms) == [expected])
    #expect(found.otherFileCount == 1)
  }

  @Test func `folders that hold no data of the app's own are named with the reason`() throws {
    try write("tmp/a", [1])
    try write("Library/Cookies/a", [1])
    try write("Library/Caches/a", [1])
    try write("Documents/.notes_SUPPORT/_EXTERNAL_DATA/a", [1])
    let skipped = try inspection().skipped
    #expect(
      skipped.map(\.path).sorted()
        == ["Documents/.notes_SUPPORT", "Library/Caches", "Library/Cookies", "tmp"]
    )
    let reason = { (path: String) in skipped.first { $0.path == path }?.reason ?? "" }
    #expect(reason("tmp").contains("may empty it at any time"))
    #expect(reason("Library/Cookies").contains("keeps it for itself"))
    #expect(reason("Documents/.notes_SUPPORT").contains("large values of the store beside it"))
  }

  @Test func `folders that lie too deep are named`() throws {
    let deep = (0..<40).map { "d\($0)" }.joined(separator: "/")
    try write("Documents/\(deep)/a.txt", [1])
    let found = try inspection()
    #expect(found.skipped.map(\.reason) == ["it lies more than 32 folders deep"])
  }

  @Test func `random bytes are an encrypted store only under a store's name`() throws {
    let random = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
    try write("Documents/main.sqlite", random)
    try write("Documents/photo.cache", random)
    let found = try inspection()
    let refused = found.stores.filter { $0.refusal != nil }
    #expect(refused.map(\.path) == ["Documents/main.sqlite"])
    #expect(refused.first?.refusal?.contains("encrypted") == true)
    #expect(found.otherFileCount == 1)
  }

  @Test func `a container of refused stores alone is refused with each reason`() throws {
    try Folder.remove(container + "/Library/Preferences/com.example.app.plist")
    try write("Documents/Info.plist", Self.list)
    let error = #expect(throws: StoreError.self) {
      try Source(container, into: folder.path + "/private")
    }
    let text = error?.description ?? ""
    #expect(text.contains("Documents/Info.plist is not read: it is a property list"), "\(text)")
  }

  @Test func `an unknown entity of several stores is refused with all their paths`() throws {
    try write("Library/Preferences/group.example.plist", Self.list)
    let source = try Source(container, into: folder.path + "/private")
    let error = #expect(throws: StoreError.self) {
      try source.store.rows(RowRequest(entity: "none", fields: []))
    }
    #expect(error?.description.contains("com.example.app.plist") == true)
    #expect(error?.description.contains("group.example.plist") == true)
  }

  // MARK: - Backups

  /// A backup of one app with these files, of which the second is not there.
  private func backup(_ entries: [(path: String, bytes: [UInt8]?)]) throws -> String {
    let backup = folder.path + "/backup"
    try Folder.make(backup)
    let list = PropertyList.dictionary([.init(name: "IsEncrypted", value: .boolean(false))])
    try folder.write("backup/Manifest.plist", PropertyListWriter.bytes(list))
    let database = try SampleDatabase(backup + "/Manifest.db")
    try database.run(
      "CREATE TABLE Files (fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, "
        + "flags INTEGER, file BLOB)"
    )
    for (number, entry) in entries.enumerated() {
      let name = String(repeating: "\(number)a", count: 20)
      try database.run(
        "INSERT INTO Files VALUES ('\(name)', 'AppDomain-com.example.app', '\(entry.path)', 1, NULL)"
      )
      guard let bytes = entry.bytes else { continue }
      try Folder.make("\(backup)/\(name.prefix(2))")
      try folder.write("backup/\(name.prefix(2))/\(name)", bytes)
    }
    return backup
  }

  @Test func `domains missing from a backup or not the app's are named`() throws {
    let path = try backup([
      ("Library/Preferences/com.example.app.plist", Self.list), ("Documents/lost.txt", nil),
      ("Library/Caches/a", [1]), ("Library/Caches/b", [1]),
    ])
    let found = try SourceFinder(path, app: "com.example.app", into: folder.path + "/private")
      .inspection
    #expect(
      found.skipped.map(\.path) == [
        "AppDomain-com.example.app/Documents/lost.txt", "AppDomain-com.example.app/Library/Caches",
      ]
    )
    #expect(found.skipped.first?.reason.contains("the backup lacks its file") == true)
  }

  @Test func `a file of a backup that disappears is reported after the run`() throws {
    let path = try backup([("Library/Preferences/com.example.app.plist", Self.list)])
    let source = try Source(
      path,
      options: Source.Options(app: "com.example.app"),
      into: folder.path + "/private"
    )
    let file = "\(path)/0a/\(String(repeating: "0a", count: 20))"
    try Folder.remove(file)
    #expect(try source.differences() == ["\(file) is gone"])
  }

  @Test func `unreadable backups are refused with a cure`() throws {
    let path = try backup([])
    try folder.write("backup/Manifest.plist", Array("bplist00".utf8))
    let list = #expect(throws: StoreError.self) {
      try Source(path, into: folder.path + "/private")
    }
    #expect(list?.description.contains("Manifest.plist") == true)
    try Folder.remove(path + "/Manifest.db")
    try folder.write("backup/Manifest.mbdb", Array("mbdb".utf8))
    let old = #expect(throws: StoreError.self) { try Source(path, into: folder.path + "/private") }
    #expect(old?.description.contains("iOS 9 or older") == true)
    #expect(old?.cure.contains("make a new backup") == true)
  }

  @Test func `encrypted backups and backups of several apps are refused with a cure`() throws {
    let path = try backup([("Library/Preferences/com.example.app.plist", Self.list)])
    try SampleDatabase(path + "/Manifest.db").run(
      "INSERT INTO Files VALUES ('b', 'AppDomain-com.other.app', 'Documents/a', 1, NULL)"
    )
    let several = #expect(throws: StoreError.self) {
      try Source(path, into: folder.path + "/private")
    }
    #expect(several?.cure.hasSuffix("one of: com.example.app, com.other.app") == true)
    let list = PropertyList.dictionary([.init(name: "IsEncrypted", value: .boolean(true))])
    try folder.write("backup/Manifest.plist", PropertyListWriter.bytes(list))
    let encrypted = #expect(throws: StoreError.self) {
      try Source(path, into: folder.path + "/private")
    }
    #expect(encrypted?.cure.contains("without a password") == true)
  }
}
