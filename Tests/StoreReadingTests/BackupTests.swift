import Files
import PropertyLists
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

struct BackupTests {
  private let folder: SampleFolder
  private let backup: String

  init() throws {
    folder = try SampleFolder()
    backup = folder.path + "/backup"
    try Folder.make(backup)
    try writeManifest(isEncrypted: false)
    let database = try SampleDatabase(backup + "/Manifest.db")
    try database.run(
      "CREATE TABLE Files (fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, "
        + "flags INTEGER, file BLOB)"
    )
    let list = PropertyListWriter.bytes(
      .dictionary([.init(name: "theme", value: .string("dark"))])
    )
    let files: [(domain: String, path: String, bytes: [UInt8])] = [
      ("AppDomain-com.example.app", "Library/Preferences/com.example.app.plist", list),
      ("AppDomainGroup-group.com.example.app", "Library/Preferences/group.plist", list),
      ("AppDomain-com.other.app", "Library/Preferences/com.other.app.plist", list),
      ("HomeDomain", "Library/Preferences/home.plist", list),
    ]
    for (number, file) in files.enumerated() {
      let name = String(repeating: "\(number)a", count: 20)
      try Folder.make("\(backup)/\(name.prefix(2))")
      try folder.write("backup/\(name.prefix(2))/\(name)", file.bytes)
      try database.run(
        "INSERT INTO Files VALUES ('\(name)', '\(file.domain)', '\(file.path)', 1, NULL)"
      )
    }
    try database.run(
      "INSERT INTO Files VALUES ('\(String(repeating: "b", count: 40))', "
        + "'AppDomain-com.example.app', '../../escape.plist', 1, NULL)"
    )
  }

  private func writeManifest(isEncrypted: Bool) throws {
    try folder.write(
      "backup/Manifest.plist",
      PropertyListWriter.bytes(
        .dictionary([.init(name: "IsEncrypted", value: .boolean(isEncrypted))])
      )
    )
  }

  @Test func `an app's files in a backup are found under their real names`() throws {
    let source = try Source(
      backup,
      options: Source.Options(app: "com.example.app"),
      into: folder.path + "/private"
    )
    #expect(
      source.store.model.entities.map(\.name.text)
        == ["com.example.app.Preferences", "group.Preferences"]
    )
    #expect(try Rows.text(of: "com.example.app.Preferences", in: source.store) == ["dark"])
    #expect(try source.differences().isEmpty)
    let name = String(repeating: "0a", count: 20)
    try folder.write("backup/0a/\(name)", [1])
    #expect(try source.differences() == ["\(backup)/0a/\(name) has other content"])
  }

  @Test func `every file of the app has its path, and no path leads to another app's file`() throws
  {
    let source = try Source(
      backup,
      options: Source.Options(app: "com.example.app"),
      into: folder.path + "/private"
    )
    let files = try #require(source.backup)
    let name = String(repeating: "0a", count: 20)
    let group = String(repeating: "1a", count: 20)
    #expect(files.path == backup)
    #expect(files.places(of: "Library/Preferences/com.example.app.plist") == ["0a/\(name)"])
    #expect(files.places(of: "./Library//Preferences/group.plist") == ["1a/\(group)"])
    #expect(files.places(of: "Library/Preferences/com.other.app.plist").isEmpty)
    #expect(files.places(of: "Library/../Library/Preferences/group.plist").isEmpty)
    #expect(files.places(of: "").isEmpty)
  }

  @Test func `the finder lists the apps, other apps' files and entries that lead outside`() throws {
    let found = try SourceFinder(backup, app: "com.example.app", into: folder.path + "/private")
      .inspection
    #expect(found.form == .backup)
    #expect(found.apps == ["com.example.app", "com.other.app"])
    let skipped = found.skipped.map(\.path)
    #expect(skipped.contains("AppDomain-com.other.app"))
    #expect(skipped.contains("AppDomain-com.example.app/../../escape.plist"))
  }

  @Test func `a backup of several apps is refused until one is named`() throws {
    let apps = ["com.example.app", "com.other.app"]
    #expect(throws: StoreError.severalApps(path: backup, apps: apps)) {
      try Source(backup, into: folder.path + "/private")
    }
  }

  @Test func `an encrypted backup is refused`() throws {
    try writeManifest(isEncrypted: true)
    #expect(throws: StoreError.encryptedBackup(path: backup)) {
      try Source(backup, into: folder.path + "/private")
    }
  }
}
