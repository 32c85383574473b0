import Files
import PropertyLists
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

struct PreferencesTests {
  private let folder: SampleFolder

  init() throws {
    folder = try SampleFolder()
  }

  private func open(
    _ members: [PropertyList.Member],
    keepsSystemKeys: Bool = false
  ) throws -> any Store {
    let bytes = PropertyListWriter.bytes(.dictionary(members))
    try folder.write("com.example.app.plist", bytes)
    return try Source(
      folder.path + "/com.example.app.plist",
      options: Source.Options(keepsSystemKeys: keepsSystemKeys),
      into: folder.path + "/private"
    ).store
  }

  @Test func `preferences of more than 256 MiB are refused by their own name`() throws {
    try folder.write("large.plist", Array("bplist00".utf8))
    let path = folder.path + "/large.plist"
    try #require(grow(path, to: (256 << 20) + 1))
    let error = #expect(throws: StoreError.self) {
      try Source(path, into: folder.path + "/private")
    }
    #expect(error?.description == "\(path) has 268435457 bytes, and at most 268435456 are read")
  }

  @Test func `each key is an attribute of the kind of its value`() throws {
    let store = try open([
      .init(name: "count", value: .integer(3)), .init(name: "isOn", value: .boolean(true)),
      .init(name: "ratio", value: .real(0.5)), .init(name: "name", value: .string("Ada")),
      .init(name: "since", value: .date(secondsSinceReferenceDate: 86_400)),
      .init(name: "token", value: .data([1, 2])),
      .init(name: "huge", value: .unsignedInteger(.max)),
      .init(name: "list", value: .array([.integer(1), .real(1), .string("a")])),
    ])
    let entity = try #require(store.model.entity(named: "Preferences"))
    let kinds = entity.attributes.map { "\($0.name) \($0.kind)" }
    #expect(kinds.contains("count integer64"))
    #expect(kinds.contains("isOn boolean"))
    #expect(kinds.contains("since date"))
    #expect(kinds.contains("token binary"))
    #expect(
      try Rows.text(of: "Preferences", in: store) == [
        "3, json 18446744073709551615, 1, json [1,1.0,\"a\"], Ada, 0.5, 86400.0, <1 2>"
      ]
    )
    #expect(store.identity.kind == .preferences)
    #expect(store.identity.uuid == "com.example.app")
  }

  @Test func `preferences of more than 20,000 keys are refused by their count`() throws {
    let members = (0...20_000).map { PropertyList.Member(name: "key\($0)", value: .integer(1)) }
    let error = #expect(throws: StoreError.self) { try open(members) }
    let words = "20001 keys that hold no records, and at most 20000"
    #expect(error?.description.contains(words) == true)
  }

  @Test func `every type of a property list keeps its form in JSON`() throws {
    let store = try open([
      .init(
        name: "all",
        value: .dictionary([
          .init(name: "date", value: .date(secondsSinceReferenceDate: 0.5)),
          .init(name: "data", value: .data([0xFF])),
          .init(name: "nan", value: .real(.nan)), .init(name: "set", value: .set([.integer(1)])),
          .init(name: "$date", value: .string("a name")),
        ])
      )
    ])
    #expect(
      try Rows.text(of: "Preferences", in: store) == [
        #"json {"$$date":"a name","data":{"$base64":"/w=="},"date":{"$date":"2001-01-01T00:00:00.5Z"},"#
          + #""nan":{"$real":"NaN"},"set":{"$set":[1]}}"#
      ]
    )
  }

  private static let first = "6F1A2B3C-0000-4000-8000-00000000000A"
  private static let second = "6f1a2b3c-0000-4000-8000-00000000000b"

  @Test func `keys of one name and a UUID, each a record, are rows of an entity`() throws {
    let store = try open([
      .init(name: "result_\(Self.first)", value: .data(Array(#"{"score":3}"#.utf8))),
      .init(
        name: "result_\(Self.second)",
        value: .dictionary([.init(name: "score", value: .integer(4))])
      ),
      .init(name: "resultKeys", value: .array([.string(Self.first)])),
    ])
    #expect(store.model.entities.map(\.name) == ["Preferences", "result"])
    #expect(
      try Rows.text(of: "result", in: store) == [
        "result_\(Self.first), 3", "result_\(Self.second), 4",
      ]
    )
    #expect(store.findings.map(\.code) == ["preferences.key-family"])
  }

  @Test func `keys of one name and a UUID stay attributes when the name is taken`() throws {
    let store = try open([
      .init(name: "result_\(Self.first)", value: .data(Array(#"{"score":3}"#.utf8))),
      .init(name: "result", value: .data(Array(#"[{"score":5}]"#.utf8))),
    ])
    #expect(try Rows.text(of: "result", in: store) == ["5"])
    #expect(try Rows.text(of: "Preferences", in: store) == [#"json {"score":3}"#])
  }

  @Test func `a key of a name and a UUID that holds no record stays an attribute`() throws {
    let store = try open([.init(name: "seen_\(Self.first)", value: .boolean(true))])
    #expect(store.model.entities.map(\.name) == ["Preferences"])
    #expect(try Rows.text(of: "Preferences", in: store) == ["1"])
  }

  @Test func `data that is an array of JSON objects is an entity`() throws {
    let json = #"[{"id":"A","score":3,"at":1.5},{"id":"B","score":null,"at":2}, {"id":"C"}]"#
    let store = try open([.init(name: "app_results", value: .data(Array(json.utf8)))])
    #expect(store.model.entities.map(\.name) == ["Preferences", "app_results"])
    #expect(try store.rowCount(of: "app_results") == 3)
    #expect(
      try Rows.text(of: "app_results", in: store)
        == ["1.5, A, 3, null", #"2.0, B, null, json ["score"]"#, "null, C, null, null"]
    )
  }

  @Test func `an array of dictionaries is an entity, and reading resumes after a row`() throws {
    let rows = (1...5).map { number in
      PropertyList.dictionary([.init(name: "n", value: .integer(Int64(number)))])
    }
    let store = try open([.init(name: "queue", value: .array(rows))])
    let request = RowRequest(
      entity: "queue",
      fields: [.objectURI, .attribute(path: ["n"])],
      after: 3
    )
    let reader = try store.rows(request)
    var lines: [String] = []
    while try reader.next() {
      lines.append("\(reader.row.place) " + reader.row.cells.map(described).joined(separator: " "))
    }
    #expect(
      lines == [
        "4 x-preferences:com.example.app/queue/4 4", "5 x-preferences:com.example.app/queue/5 5",
      ]
    )
  }

  @Test func `a property list and JSON inside data are read`() throws {
    let list = PropertyListWriter.bytes(
      .array([.dictionary([.init(name: "url", value: .string("$null"))])])
    )
    let store = try open([
      .init(name: "saved", value: .data(list)),
      .init(name: "state", value: .data(Array(#"{"stage": "done"}"#.utf8))),
      .init(name: "torn", value: .data(Array(#"{"stage": "do"#.utf8))),
    ])
    #expect(try Rows.text(of: "saved", in: store) == ["$null"])
    let text = try Rows.text(of: "Preferences", in: store)
    #expect(text.first?.hasPrefix(#"json {"stage":"done"}, <7b 22"#) == true)
  }

  @Test func `integers beyond the precision of a double are not rounded`() throws {
    let json = #"[{"n": 9007199254740993}, {"n": 0.5}, {"n": 123456789012345678901234567890}]"#
    let store = try open([.init(name: "big", value: .data(Array(json.utf8)))])
    #expect(
      try Rows.text(of: "big", in: store)
        == ["json 9007199254740993", "json 0.5", "json 123456789012345678901234567890"]
    )
  }

  @Test func `preferences in XML are read like binary ones`() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>isOn</key><true/><key>count</key><integer>18446744073709551615</integer>
      <key>queue</key><array><dict><key>id</key><string>A</string></dict></array>
      </dict></plist>
      """
    try folder.write("app.plist", Array(text.utf8))
    let store = try Source(folder.path + "/app.plist", into: folder.path + "/private").store
    #expect(try Rows.text(of: "Preferences", in: store) == ["json 18446744073709551615, 1"])
    #expect(try Rows.text(of: "queue", in: store) == ["A"])
  }

  @Test func `values missing from a list are a finding without the value`() throws {
    let text = """
      <plist version="1.0"><dict>
      <key>big</key><real>1e999</real><key>a</key><string>secret</string>
      <key>a</key><string>b</string>
      </dict></plist>
      """
    try folder.write("app.plist", Array(text.utf8))
    let store = try Source(folder.path + "/app.plist", into: folder.path + "/private").store
    let causes = store.findings.map(\.cause)
    #expect(causes.count == 2)
    #expect(causes.contains { $0.contains("beyond what a double holds") })
    #expect(!causes.contains { $0.contains("secret") || $0.contains("1e999") })
    #expect(try Rows.text(of: "Preferences", in: store).first?.hasPrefix("b, ") == true)
  }

  @Test func `keys of the system are left out and named, without their values`() throws {
    let members: [PropertyList.Member] = [
      .init(name: "AppleLanguages", value: .array([.string("secret-value")])),
      .init(name: "NSLinguisticDataAssetsRequested", value: .string("secret-value")),
      .init(name: "NSFW", value: .boolean(false)), .init(name: "INVOICES", value: .integer(1)),
    ]
    let store = try open(members)
    let names = store.model.entities.flatMap(\.attributes).map(\.name)
    #expect(names == ["INVOICES", "NSFW"])
    #expect(store.otherTables == ["AppleLanguages", "NSLinguisticDataAssetsRequested"])
    let finding = try #require(store.findings.first)
    #expect(finding.code == "preferences.system-keys")
    #expect(finding.cause.hasPrefix("2 keys"))
    #expect(!finding.cause.contains("secret-value"))
    #expect(try open(members, keepsSystemKeys: true).model.entities[0].attributes.count == 4)
  }

  @Test(arguments: [
    "AppleHealthSyncEnabled", "AppleSignInUserID", "AppleOrchardTrees", "INVoiceNumber",
    "INBoxCount", "NSTotalScore", "AKValue", "PKMonsters", "MSVolume", "MSVPoints", "TVRCount",
    "WebKitTests", "com.applepie.count",
  ])
  func `a key of the app is read, though it begins as keys of the system do`(key: String) throws {
    let store = try open([.init(name: key, value: .integer(1))])
    let names = store.model.entities.flatMap(\.attributes).map(\.name)
    #expect(names == [key])
    #expect(store.findings.isEmpty)
  }

  @Test(arguments: [
    "AppleKeyboards", "AppleLanguagesDidMigrate", "AppleMetricUnits", "NSLanguages",
    "NSInterfaceStyle", "NSLinguisticDataAssetsRequestTime", "NSNavLastRootDirectory",
    "NSWindow Frame Main", "NSTableView Columns v3 Songs", "NSToolbar Configuration Main",
    "AKLastIDMSEnvironment", "PKKeychainVersionKey", "PKLogNotificationServiceResponsesKey",
    "INNextHearbeatDate", "MSVLoggingMasterSwitchEnabledKey", "TVRCDeviceIdentifierKey",
    "WebKitShowLinkPreviews", "AddingEmojiKeybordHandled", "com.apple.content-rating.AppRating",
  ])
  func `a key that the system is known to write is left out`(key: String) throws {
    #expect(try open([.init(name: key, value: .integer(1))]).otherTables == [key])
  }

  @Test func `the finding of keys that were left out says how they are read`() throws {
    let store = try open([.init(name: "AppleLocale", value: .string("de"))])
    let finding = try #require(store.findings.first)
    #expect(finding.cause.contains("“AppleLocale”"))
    #expect(finding.cure.contains("--system-keys"))
  }

  @Test func `an archive and a list without keys are refused as preferences`() throws {
    let archive = PropertyList.dictionary([
      .init(name: "$archiver", value: .string("NSKeyedArchiver"))
    ])
    for (list, found) in [
      (archive, "a keyed archive"), (PropertyList.array([]), "a property list without keys"),
    ] {
      let path = folder.path + "/a.plist"
      try folder.write("a.plist", PropertyListWriter.bytes(list))
      #expect(throws: StoreError.notPreferences(path: path, found: found)) {
        try Source(path, into: folder.path + "/private")
      }
    }
  }

  @Test func `a value shared a thousand times over is refused`() throws {
    // 2^14 times a text of 64 KiB, in a file of 70 KiB.
    let bytes = SharedListWriter.bytes(depth: 14, textSize: 1 << 16)
    try folder.write("shared.plist", bytes)
    #expect(throws: StoreError.self) {
      try Source(folder.path + "/shared.plist", into: folder.path + "/private").store
    }
  }
}

/// Rows as lines of text, for tests.
enum Rows {
  /// Every attribute of each row, in the order of the model.
  static func text(of entity: EntityName, in store: any Store) throws -> [String] {
    let attributes = store.model.entity(named: entity)?.attributes ?? []
    let fields = attributes.map { FieldRequest.attribute(path: [$0.name]) }
    return try text(of: entity, fields, in: store)
  }

  static func text(
    of entity: EntityName,
    _ fields: [FieldRequest],
    in store: any Store
  ) throws -> [String] {
    let reader = try store.rows(RowRequest(entity: entity, fields: fields))
    var lines: [String] = []
    while try reader.next() {
      lines.append(reader.row.cells.map(described).joined(separator: ", "))
    }
    return lines
  }
}

/// Writes a list whose nested arrays each hold the next one twice.
private enum SharedListWriter {
  static func bytes(depth: Int, textSize: Int) -> [UInt8] {
    var objects: [[UInt8]] = [[0xD1, 1, 2], [0x51, UInt8(ascii: "a")]]
    for level in 0..<depth { objects.append([0xA2, UInt8(level + 3), UInt8(level + 3)]) }
    let size = (0..<4).reversed().map { UInt8(truncatingIfNeeded: textSize >> ($0 * 8)) }
    objects.append([0x5F, 0x12] + size + Array(repeating: UInt8(ascii: "x"), count: textSize))
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    let bigEndian = { (number: Int, count: Int) in
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    for offset in offsets { bytes += bigEndian(offset, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 1]
    for number in [objects.count, 0, table] { bytes += bigEndian(number, 8) }
    return bytes
  }
}
