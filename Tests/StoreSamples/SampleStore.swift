import PropertyLists

/// A store with one of everything: inheritance, colliding names, a composite, all relationships.
package enum SampleStore {
  package static let uuid = "6B2C5F1E-0000-4000-8000-000000000001"
  package static let reference = "0B2C5F1E-0000-4000-8000-0000000000FF"

  package static let model = ModelSample(
    entities: [
      .init(
        name: "Animal",
        isAbstract: true,
        attributes: [.init(name: "id", type: 1100), .init(name: "name", type: 700)],
        relationships: [.init(name: "owner", destination: "Person", inverse: "pets")]
      ),
      .init(
        name: "Cat",
        superName: "Animal",
        attributes: [.init(name: "lives", type: 100), .init(name: "title", type: 700)]
      ),
      .init(
        name: "Dog",
        superName: "Animal",
        attributes: [
          .init(name: "title", type: 700), .init(name: "mood", type: 700, isTransient: true),
        ]
      ),
      .init(
        name: "Person",
        attributes: [
          .init(name: "id", type: 1100), .init(name: "title", type: 700),
          .init(name: "photo", type: 1000, flags: 4), .init(name: "scores", type: 1800),
          .init(
            name: "home",
            type: 2100,
            elements: [.init(name: "id", type: 1100), .init(name: "city", type: 700)]
          ),
        ],
        relationships: [
          .init(name: "favorite", destination: "Animal"),
          .init(
            name: "pets",
            destination: "Animal",
            inverse: "owner",
            isToMany: true,
            isOrdered: true
          ),
          .init(name: "friends", destination: "Person", inverse: "friends", isToMany: true),
          .init(
            name: "tags",
            destination: "Tag",
            inverse: "people",
            isToMany: true,
            isOrdered: true
          ),
          .init(name: "notes", destination: "Tag", isToMany: true),
        ]
      ),
      .init(
        name: "Tag",
        attributes: [.init(name: "count", type: 300), .init(name: "label", type: 700)],
        relationships: [
          .init(name: "people", destination: "Person", inverse: "tags", isToMany: true)
        ]
      ),
    ])

  package static let tables = """
    CREATE TABLE ZANIMAL (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLIVES INTEGER,
      ZOWNER INTEGER, Z_FOK_OWNER INTEGER, ZNAME VARCHAR, ZTITLE VARCHAR, ZTITLE1 VARCHAR,
      ZID BLOB);
    CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZFAVORITE INTEGER, Z1_FAVORITE INTEGER, ZCITY VARCHAR, ZTITLE VARCHAR, ZID BLOB, ZID1 BLOB,
      ZPHOTO BLOB, ZSCORES BLOB);
    CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z4NOTES INTEGER,
      ZCOUNT INTEGER, ZLABEL VARCHAR);
    CREATE TABLE Z_4FRIENDS (Z_4FRIENDS INTEGER, REFLEXIVE INTEGER,
      PRIMARY KEY (Z_4FRIENDS, REFLEXIVE));
    CREATE TABLE Z_4TAGS (Z_4PEOPLE1 INTEGER, Z_5TAGS INTEGER, Z_FOK_5TAGS INTEGER,
      PRIMARY KEY (Z_4PEOPLE1, Z_5TAGS));
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
      Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
    CREATE TABLE MESSAGEINDEX (word TEXT);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Animal', 0, 4), (2, 'Cat', 1, 0), (3, 'Hound', 1, 0),
      (4, 'Person', 0, 3), (5, 'Tag', 0, 3), (16001, 'CHANGE', 0, 0);
    """

  package static let rows = """
    INSERT INTO ZANIMAL VALUES
      (-1, 2, 1, 9, 1, 3072, 'Ada', 'Queen', NULL, x'00000000000000000000000000000001'),
      (2, 3, 1, NULL, 1, 2048, 'Bo', NULL, 'Sir', x'00000000000000000000000000000002'),
      (3, 2, 1, 7, 1, NULL, 'Cy', 'Tom', NULL, NULL),
      (4, 3, 1, NULL, 99, 1, 'Di', NULL, NULL, NULL);
    INSERT INTO ZPERSON VALUES
      (1, 4, 1, 2, 3, 'Ulm', 'Dr', x'AA000000000000000000000000000000',
        x'000102030405060708090A0B0C0D0E0F', x'01FF00', NULL),
      (2, 4, 1, 3, 2, NULL, NULL, NULL, NULL, NULL, NULL),
      (3, 4, 1, 77, NULL, NULL, NULL, NULL, NULL, NULL, x'6869');
    INSERT INTO ZTAG VALUES (1, 5, 1, 2, 10, 'x'), (2, 5, 1, NULL, -20, 'y'), (3, 5, 1, 2, 0, 'z');
    INSERT INTO Z_4FRIENDS VALUES (1, 2), (2, 1), (3, 1);
    INSERT INTO Z_4TAGS VALUES (1, 1, 3), (1, 2, 1), (1, 3, 2), (2, 3, NULL), (2, 2, 5);
    """

  /// Builds the store in `folder` and gives its path.
  package static func build(
    in folder: SampleFolder,
    name: String = "Sample.sqlite",
    cache: [UInt8]? = nil,
    hashNames: [String] = ["Animal", "Cat", "Dog", "Person", "Tag"],
    also sql: String = ""
  ) throws -> String {
    let path = folder.path + "/" + name
    let database = try SampleDatabase(path)
    try database.run(tables)
    try database.run(rows)
    try database.run(
      "INSERT INTO Z_METADATA VALUES (1, '\(uuid)', ?)",
      blob: metadata(hashNames: hashNames)
    )
    try database.run("INSERT INTO Z_MODELCACHE VALUES (?)", blob: cache ?? model.cache())
    try database.run(
      "UPDATE ZPERSON SET ZPHOTO = ? WHERE Z_PK = 2",
      blob: [2] + Array(reference.utf8) + [0]
    )
    try database.run("UPDATE ZPERSON SET ZSCORES = ? WHERE Z_PK = 1", blob: scores)
    try database.run("UPDATE ZPERSON SET ZSCORES = ? WHERE Z_PK = 2", blob: scoresInXML)
    if !sql.isEmpty { try database.run(sql) }
    return path
  }

  package static func metadata(hashNames: [String]) -> [UInt8] {
    PropertyListWriter.bytes(
      .dictionary([
        .init(name: "NSPersistenceFrameworkVersion", value: .integer(1414)),
        .init(name: "NSStoreModelVersionIdentifiers", value: .array([.string("1.2.0")])),
        .init(
          name: "NSStoreModelVersionHashes",
          value: .dictionary(hashNames.map { .init(name: $0, value: .data([1])) })
        ),
      ])
    )
  }

  /// The keyed archive of the array `["twelve"]`, as XML.
  private static let scoresInXML = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
    <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
    <key>$objects</key><array><string>$null</string>
    <dict><key>NS.objects</key><array><dict><key>CF$UID</key><integer>2</integer></dict></array>
    <key>$class</key><dict><key>CF$UID</key><integer>3</integer></dict></dict>
    <string>twelve</string>
    <dict><key>$classname</key><string>NSArray</string>
    <key>$classes</key><array><string>NSArray</string><string>NSObject</string></array></dict>
    </array></dict></plist>
    """.utf8
  )

  /// The keyed archive of the array `["ten", 11]`.
  private static var scores: [UInt8] {
    let array: PropertyList = .dictionary([
      .init(name: "NS.objects", value: .array([.uid(2), .uid(3)])),
      .init(name: "$class", value: .uid(4)),
    ])
    let record: PropertyList = .dictionary([
      .init(name: "$classname", value: .string("NSArray")),
      .init(name: "$classes", value: .array([.string("NSArray"), .string("NSObject")])),
    ])
    return PropertyListWriter.bytes(
      .dictionary([
        .init(name: "$version", value: .integer(100_000)),
        .init(name: "$archiver", value: .string("NSKeyedArchiver")),
        .init(name: "$top", value: .dictionary([.init(name: "root", value: .uid(1))])),
        .init(
          name: "$objects",
          value: .array([.string("$null"), array, .string("ten"), .integer(11), record])
        ),
      ])
    )
  }
}
