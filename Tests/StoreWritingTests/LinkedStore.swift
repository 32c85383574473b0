import Files
import Profiles
import PropertyLists
import StoreReading
import StoreSamples
import StoreWriting
import Testing

/// A Core Data store with every kind of relationship between members, badges, skills and teams.
struct LinkedStore {
  let folder: String
  var path: String { "\(folder)/app.sqlite" }
  var copy: String { "\(folder)/new.sqlite" }

  private static let uuid = "6B2C5F1E-0000-4000-8000-000000000002"

  private static let model = ModelSample(entities: [
    .init(
      name: "Badge",
      attributes: [.init(name: "id", type: 700)],
      relationships: [.init(name: "holder", destination: "Member", inverse: "badge")]
    ),
    .init(
      name: "Member",
      attributes: [.init(name: "id", type: 700), .init(name: "tags", type: 1800)],
      relationships: [
        .init(name: "badge", destination: "Badge", inverse: "holder"),
        .init(name: "friends", destination: "Member", inverse: "friends", isToMany: true),
        .init(
          name: "skills",
          destination: "Skill",
          inverse: "members",
          isToMany: true,
          isOrdered: true
        ),
        .init(name: "team", destination: "Team", inverse: "members"),
      ]
    ),
    .init(
      name: "Skill",
      attributes: [.init(name: "id", type: 700)],
      relationships: [
        .init(
          name: "members",
          destination: "Member",
          inverse: "skills",
          isToMany: true,
          isOrdered: true
        )
      ]
    ),
    .init(
      name: "Team",
      attributes: [.init(name: "id", type: 700)],
      relationships: [
        .init(
          name: "members",
          destination: "Member",
          inverse: "team",
          isToMany: true,
          isOrdered: true
        )
      ]
    ),
  ])

  private static let tables = """
    CREATE TABLE ZBADGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZHOLDER INTEGER,
      ZID VARCHAR);
    CREATE TABLE ZMEMBER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBADGE INTEGER,
      ZTEAM INTEGER, Z_FOK_TEAM INTEGER, ZID VARCHAR, ZTAGS BLOB);
    CREATE TABLE ZSKILL (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR);
    CREATE TABLE ZTEAM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR);
    CREATE TABLE Z_2FRIENDS (Z_2FRIENDS INTEGER, REFLEXIVE INTEGER,
      PRIMARY KEY (Z_2FRIENDS, REFLEXIVE));
    CREATE TABLE Z_2SKILLS (Z_2MEMBERS INTEGER, Z_3SKILLS INTEGER, Z_FOK_2MEMBERS INTEGER,
      Z_FOK_3SKILLS INTEGER, PRIMARY KEY (Z_2MEMBERS, Z_3SKILLS));
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
      Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Badge', 0, 2), (2, 'Member', 0, 1), (3, 'Skill', 0, 3),
      (4, 'Team', 0, 2);
    INSERT INTO ZBADGE VALUES (1, 1, 1, 1, 'b1'), (2, 1, 1, 2, 'b2');
    INSERT INTO ZMEMBER VALUES (1, 2, 1, 1, 1, 1024, 'm1', NULL), (2, 2, 1, 2, 1, 2048, 'm2', NULL),
      (3, 2, 1, NULL, NULL, NULL, 'm3', NULL);
    INSERT INTO ZSKILL VALUES (1, 3, 1, 's1'), (2, 3, 1, 's2'), (3, 3, 1, 's3');
    INSERT INTO ZTEAM VALUES (1, 4, 1, 't1'), (2, 4, 1, 't2');
    INSERT INTO Z_2FRIENDS VALUES (1, 2), (2, 1);
    INSERT INTO Z_2SKILLS VALUES (1, 1, 1024, 1024), (1, 2, 1024, 2048), (2, 3, 1024, 1024);
    """

  private static let yaml = """
    ferry-profile: 1
    app: sample
    entities:
      Badge: { identity: { attribute: id }, fields: { id: id, holder: { reference: holder } } }
      Skill: { identity: { attribute: id }, fields: { id: id, members: { references: members } } }
      Team: { identity: { attribute: id }, fields: { id: id, members: { references: members } } }
      Member:
        identity: { attribute: id }
        fields:
          id: id
          tags: tags
          badge: { reference: badge }
          team: { reference: team }
          friends: { references: friends }
          skills: { references: skills }
    """

  /// Builds the store in a folder, and changes it as a test says.
  init(in folder: String, also sql: String = "") throws {
    self.folder = folder
    let database = try SampleDatabase("\(folder)/app.sqlite")
    try database.run(Self.tables)
    try database.run(
      "INSERT INTO Z_METADATA VALUES (1, '\(Self.uuid)', ?)",
      blob: SampleStore.metadata(hashNames: ["Badge", "Member", "Skill", "Team"])
    )
    try database.run("INSERT INTO Z_MODELCACHE VALUES (?)", blob: Self.model.cache())
    if !sql.isEmpty { try database.run(sql) }
  }

  /// Gives a member's tags, as the app archived them.
  func archive(_ list: PropertyList, of member: String) throws {
    try SampleDatabase(path).run(
      "UPDATE ZMEMBER SET ZTAGS = ? WHERE ZID = '\(member)'",
      blob: PropertyListWriter.bytes(list)
    )
  }

  /// Applies entries to a copy, which SQLite finds sound.
  func apply(_ entries: String...) throws -> WriteBackApplication.Result {
    let text = """
      {"format":"1.0","run":"r","store":"\(Self.uuid)","operations":[],
       "records":[\(entries.joined(separator: ","))]}
      """
    try WholeFile.replace("\(folder)/file.json", with: Array(text.utf8))
    let profile = try Profile(yaml: Self.yaml, path: "sample.yaml")
    let application = try WriteBackApplication("\(folder)/file.json", profile: profile)
    let result = try application.apply(to: path, at: copy)
    #expect(try rows("PRAGMA integrity_check") == ["ok"])
    return result
  }

  static func entry(_ entity: String, _ key: String, _ attributes: String) -> String {
    entry(entity, key, "replace", attributes)
  }

  static func entry(
    _ entity: String,
    _ key: String,
    _ status: String,
    _ attributes: String
  ) -> String {
    #"{"entity":"\#(entity)","localID":"\#(key)","status":"\#(status)","attributes":\#(attributes)}"#
  }

  /// The rows of a query of the copy.
  func rows(_ sql: String) throws -> [String] { try SampleDatabase(copy).rows(sql) }

  /// Which of the copy's objects have a counter of 2: `ZMEMBER 1`.
  func countedUp() throws -> Set<String> {
    var found: Set<String> = []
    for table in ["ZBADGE", "ZMEMBER", "ZSKILL", "ZTEAM"] {
      for key in try rows("SELECT Z_PK FROM \(table) WHERE Z_OPT = 2") {
        found.insert("\(table) \(key)")
      }
    }
    return found
  }
}
