import Foundation
import JSONText
import TestSupport
import Testing

/// A store that was copied without the folder of its large values, after they had been sent.
@Suite(.timeLimit(.minutes(2))) struct LostFileTests {
  @Test func `a value whose file is lost leaves the value sent before`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/photos.sqlite"
      let profile = "\(folder)/profile.yaml"
      try Self.profile.save(to: profile)
      try Python.run(["-c", Self.making, store])
      func migrate() async throws -> Answer {
        let line = ["migrate", store, "--profile", profile, "--to", "file:\(folder)/kept"]
        return try await FerryProgram().answer(line, state: "\(folder)/state")
      }
      try await migrate().exits(0)
      let sent = try document(in: "\(folder)/kept/Photo")
      #expect(sent["caption"] == "before" && sent["data"]?.isNull == false)
      try FileManager.default.removeItem(atPath: "\(folder)/.photos_SUPPORT")
      try Python.edit(store, "UPDATE ZPHOTO SET ZCAPTION = 'after'")
      let second = try await migrate().exits(3)
      #expect(second.standardError.contains("value.missing-file"))
      let kept = try document(in: "\(folder)/kept/Photo")
      #expect(kept["caption"] == "after" && kept["data"] == sent["data"])
    }
  }

  /// What the only document of a folder says.
  private func document(in folder: String) throws -> JSONValue {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let name = try #require(names.first)
    #expect(names.count == 1)
    let text = try String(at: "\(folder)/\(name)")
    return try #require(try JSONValue(parsing: text)["data"])
  }

  private static let profile = """
    ferry-profile: 1
    app: photos
    entities:
      Photo:
        carry: listed
        fields: { caption: CAPTION, data: DATA }
    api:
      kind: folder
      entities:
        Photo: { body: { caption: caption, data: data } }
    """

  /// Makes a Core Data store with a photo, whose picture lies in a file beside it.
  private static let making = """
    import os, plistlib, sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.executescript('''
      CREATE TABLE Z_PRIMARYKEY
        (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZCAPTION VARCHAR, ZDATA BLOB);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Photo', 0, 1);
    ''')
    meta = plistlib.dumps({"NSStoreType": "SQLite"}, fmt=plistlib.FMT_BINARY)
    db.execute("INSERT INTO Z_METADATA VALUES (1, ?, ?)", ("0F8FAD5B-D9CB-469F-A165-70867728950E", meta))
    name = "7D444840-9DC0-11D1-B245-5FFDCE74FAD2"
    folder = os.path.join(os.path.dirname(sys.argv[1]), ".photos_SUPPORT", "_EXTERNAL_DATA")
    os.makedirs(folder)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(b"a picture")
    value = b"\\x02" + name.encode() + b"\\x00"
    db.execute("INSERT INTO ZPHOTO VALUES (1, 1, 1, 'before', ?)", (value,))
    db.commit()
    """
}
