import JSONText
import ProfileSettings
import Profiles
import RecordMapping
import Records
import RequestMapping
import Testing

@Suite struct RequestMappingTests {
  private let document = JSONDocument()
  private let remote = JSONDocument()
  private let program: RequestProgram

  init() throws {
    program = try Self.program()
  }

  private static func program(_ edit: (String) -> String = { $0 }) throws -> RequestProgram {
    let export = try CompiledExport(profile: SampleApp.profile(edit), model: SampleApp.model)
    let references = Dictionary(
      uniqueKeysWithValues: export.programs.map { ($0.entity, $0.references) }
    )
    let api = try #require(CompiledApi(profile: export.profile, references: references))
    return try #require(api.program(for: "Note"))
  }

  private static let record: JSONValue = [
    "id": "A", "title": "Too long", "owner": "O1", "mood": "good", "town": "Good", "flag": false,
    "when": "2001-01-01T00:00:00.1234567Z", "count": .null, "real": 1.5, "place": .null,
    "price": "1", "tags": [],
    "photo": [
      "name": "a/p.png", "state": "present", "size": 3,
      "sha256": .string(String(repeating: "ab", count: 32)),
    ],
  ]

  private func members(
    _ stage: RequestStage,
    _ record: JSONValue = Self.record,
    _ resolver: ReferenceResolver = .planning
  ) throws -> JSONValue {
    try document.parse(copying: record.canonicalBytes)
    let members = try program.members(for: stage, of: document.root, in: document, resolver)
    return try JSONValue(parsing: program.body(of: members))
  }

  @Test func `a create request leaves out deferred references`() throws {
    #expect(
      try members(.create) == [
        "title": "Too l", "ownerId": "Owner/O1", "labels": ["good"], "mood": 1, "count": 3,
        "when": "2001-01-01T00:00:00.1234567Z", "fixed": 1.5,
      ]
    )
  }

  @Test func `a record's own value does not replace its client identity`() throws {
    let batch = """
      create:
              request: POST /notes
              batch: { items: notes, local-id: fixed, created: made, failed: failed, id: id, error: why }
      """
    let program = try Self.program {
      $0.replacing(#"create: { request: "PUT /notes/{id}", if-none-match: true }"#, with: batch)
        .replacing(
          "replay: id",
          with: "replay: look-up\n      list: { request: GET /notes, items: notes }"
        )
    }
    try document.parse(copying: Self.record.canonicalBytes)
    let root = document.root
    let members = try program.members(for: .create, of: root, in: document, .planning)
    #expect(!members.map(\.name).contains("fixed"))
    let forms = try program.forms(of: root, in: document, .planning)
    #expect(forms.create == members)
    #expect(forms.whole.map(\.name).contains("fixed"))
  }

  @Test func `a record's references are the ones that its request fields name`() throws {
    var asked: [RecordID] = []
    let resolver = ReferenceResolver(reference: { entity, key throws(MappingFault) in
      asked.append(RecordID(entity: entity, key: key))
      return key
    })
    _ = try members(.create, Self.record, resolver)
    try document.parse(copying: Self.record.canonicalBytes)
    #expect(!asked.isEmpty)
    #expect(program.references(in: document.root, of: document) == asked)
  }

  @Test(arguments: [
    ("title", JSONValue.null), ("mood", "other"), ("town", .null), ("flag", true), ("real", .null),
    ("count", 7), ("price", "x"), ("when", "2001-01-01"),
  ])
  func `each request of a record has its own fields`(
    member: String,
    value: JSONValue
  ) throws {
    for record in [Self.record, try edited(member, value)] {
      try document.parse(copying: record.canonicalBytes)
      let forms = try program.forms(of: document.root, in: document, .planning)
      let all: [(RequestStage, [RequestField])] = [
        (.create, forms.create), (.complete, forms.complete), (.update, forms.update),
        (.whole, forms.whole),
      ]
      for (stage, members) in all {
        let expected = try self.members(stage, record).canonicalBytes
        #expect(program.body(of: members) == expected, "\(stage)")
      }
    }
  }

  @Test func `deferred references are sent after the record exists`() throws {
    let url = "image/" + String(repeating: "ab", count: 32)
    #expect(try members(.complete) == ["photo": .string(url)])
    let starred = try edited("flag", true)
    #expect(try members(.complete, starred)["star"] == true)
  }

  @Test func `an update request holds the record's fields only`() throws {
    let update = try members(.update)
    #expect(update["count"] == nil)
    #expect(update["fixed"] == nil)
    #expect(update["star"] == false)
    #expect(try members(.whole)["fixed"] == 1.5)
    #expect(try members(.update, edited("owner", .null))["ownerId"] == .null)
    #expect(try members(.update, edited("owner", nil))["ownerId"] == nil)
  }

  @Test(arguments: ["title", "when", "place"])
  func `a value whose file is lost is left out of the request`(
    member: String
  ) throws {
    let lost = try edited(member, ["$lostFile": "7D444840-9DC0-11D1-B245-5FFDCE74FAD2"])
    for stage in [RequestStage.create, .update, .whole] {
      #expect(try members(stage, lost) == members(stage, edited(member, nil)), "\(stage)")
    }
  }

  private func edited(_ name: String, _ value: JSONValue?) throws -> JSONValue {
    var object = try #require(Self.record.object)
    object[name] = value
    return .object(object)
  }

  @Test(arguments: [
    ("2001-01-01T00:00:00Z", true), ("2001-01-01T00:00:00", true), ("2001-01-01T01:00:00Z", false),
    ("2001-01-03T00:00:00Z", false), ("never", false),
  ])
  func `a date earlier than the destination's minimum is reported`(
    moment: String,
    isStale: Bool
  ) throws {
    let program = try Self.program {
      $0.replacing("when: when\n", with: "when: { field: when, as: utc, within: 24h }\n")
    }
    try document.parse(copying: try edited("when", .string(moment)).canonicalBytes)
    let now: Int64 = 25 * 3_600_000_000
    let fault = program.staleness(of: document.root, in: document, at: now)
    let expected: MappingFault? = isStale ? .tooOld(member: "when", within: .seconds(86_400)) : nil
    #expect(fault == expected)
    #expect(fault?.finding.cause.contains("“when” is longer ago than 24h") ?? !isStale)
  }

  @Test(arguments: [
    ("2001-01-01T00:00:01.9999999Z", "2001-01-01T00:00:01Z"),
    ("2000-12-31T23:59:59.5Z", "2000-12-31T23:59:59Z"),
    ("2001-01-01T01:00:01.5+01:00", "2001-01-01T00:00:01Z"),
    ("2001-01-01T00:00:01.5", "2001-01-01T00:00:01Z"),
    ("2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z"), ("never", "never"),
  ])
  func `a date is sent in whole seconds, never rounded up, if a rule says so`(
    moment: String,
    sent: String
  ) throws {
    let program = try Self.program {
      $0.replacing("when: when\n", with: "when: { field: when, as: seconds }\n")
    }
    try document.parse(copying: try edited("when", .string(moment)).canonicalBytes)
    for stage in [RequestStage.create, .update, .whole] {
      let members = try program.members(
        for: stage,
        of: document.root,
        in: document,
        .planning
      )
      let body = try JSONValue(parsing: program.body(of: members))
      #expect(body["when"] == .string(sent), "\(stage)")
    }
  }

  // What a column without fractions makes of the moment when it rounds.
  @Test func `a date in whole seconds is found at a server that rounds fractions up`() throws {
    let program = try Self.program {
      $0.replacing("when: when\n", with: "when: { field: when, as: seconds }\n")
        .replacing("natural-key: [title, when]", with: "natural-key: [when]")
    }
    try document.parse(
      copying: try edited("when", "2001-01-01T00:00:01.75Z").canonicalBytes
    )
    let sent = try program.members(for: .create, of: document.root, in: document, .planning)
    try remote.parse(copying: JSONValue.object(["when": "2001-01-01T00:00:01.000Z"]).canonicalBytes)
    #expect(program.naturalKey(of: sent) == program.naturalKey(of: remote.root, in: remote))
  }

  @Test func `a reference to a record without a place holds its record up`() throws {
    let none = ReferenceResolver(reference: { _, _ in nil })
    #expect(
      throws: MappingFault.missingReference(
        member: "owner",
        RecordID(entity: "Owner", key: "O1")
      )
    ) { try members(.create, Self.record, none) }
  }

  @Test func `a reference to a record of several members is refused by name`() throws {
    let program = try Self.program {
      $0.replacing(
        "create: { request: POST /owners }",
        with: "id: [land, number]\n      create: { request: POST /owners }"
      )
    }
    try document.parse(copying: Self.record.canonicalBytes)
    #expect(throws: MappingFault.compoundReference(member: "owner", "Owner")) {
      _ = try program.members(for: .create, of: document.root, in: document, .planning)
    }
  }

  // A package of an earlier profile has the member, and knows of no record that it names.
  @Test func `a reference without an entity in the package is reported with a cure`() throws {
    let export = try CompiledExport(profile: SampleApp.profile(), model: SampleApp.model)
    let api = try #require(CompiledApi(profile: export.profile, references: [:]))
    let unaware = try #require(api.program(for: "Note"))
    try document.parse(copying: Self.record.canonicalBytes)
    let fault = #expect(throws: MappingFault.self) {
      _ = try unaware.members(for: .create, of: document.root, in: document, .planning)
    }
    let finding = fault?.finding
    #expect(finding?.cause.contains("“owner”") == true)
    #expect(finding?.cure.contains("`ferry upgrade`") == true)
  }

  @Test func `an unknown outcome of a file is a fault, and not a missing file`() {
    let fault = MappingFault.unanswered(reason: "the disk is gone")
    let silent = ReferenceResolver(
      reference: { _, key in key },
      media: { _, _ throws(MappingFault) in throw fault }
    )
    #expect(throws: fault) { try members(.update, Self.record, silent) }
  }

  @Test func `an unknown place of a reference is a fault of its own`() {
    let fault = MappingFault.unanswered(reason: "the disk is gone")
    let silent = ReferenceResolver(reference: { _, _ throws(MappingFault) in throw fault })
    #expect(throws: fault) { try members(.create, Self.record, silent) }
  }

  @Test func `a file that was not sent is not mentioned`() throws {
    let none = ReferenceResolver(reference: { _, key in key })
    #expect(try members(.update, Self.record, none)["photo"] == nil)
  }

  @Test func `a media reference has its name, type and size`() throws {
    try document.parse(copying: Self.record.canonicalBytes)
    let media = try #require(program.media(in: document.root, of: document).first)
    #expect(media.name == "p.png")
    #expect(media.mediaType == "image/png")
    #expect(media.size == 3)
  }

  private func difference(_ theirs: JSONValue) throws -> [String] {
    try document.parse(copying: Self.record.canonicalBytes)
    try remote.parse(copying: theirs.canonicalBytes)
    let members = try program.members(
      for: .whole,
      of: document.root,
      in: document,
      .planning
    )
    return program.difference(of: members, from: remote.root, in: remote)
  }

  /// What a create has in the member `count`, whose rule and whose value in the record are given.
  private func sent(_ rule: String, _ value: JSONValue) throws -> JSONValue? {
    let program = try Self.program {
      $0.replacing("count: { field: count, default: 3 }", with: "count: { field: count, \(rule) }")
    }
    try document.parse(copying: edited("count", value).canonicalBytes)
    let members = try program.members(for: .create, of: document.root, in: document, .planning)
    return try JSONValue(parsing: program.body(of: members))["count"]
  }

  @Test(
    arguments: [
      ("12", 12), ("12.50", 12.5), ("-0.5", -0.5), (".5", 0.5), ("-.25", -0.25), ("+3.0", 3),
      ("007.10", 7.1), ("5.", 5), ("0.00", 0), ("1e-7", 1e-7), ("12345678901234567890.25", nil),
      ("12,5", "12,5"), ("-", "-"), ("1.2.3", "1.2.3"), ("NaN", "NaN"), ("", ""), (7, 7),
      (1.5, 1.5),
    ] as [(JSONValue, JSONValue?)]
  )
  func `digits are sent as a number, with a fraction or without`(
    value: JSONValue,
    number: JSONValue?
  ) throws {
    let found = try sent("as: number", value)
    if let number {
      #expect(found == number)
    } else {
      // No digit is lost, however many there are.
      #expect(found?.canonicalText == value.text)
    }
  }

  @Test(
    arguments: [
      (0, false), (1, true), ("0", false), ("1", true), ("Yes", true), ("no", false),
      ("TRUE", true), (true, true), (false, false), (1.0, true),
    ] as [(JSONValue, JSONValue)]
  )
  func `a boolean is sent as true or false`(value: JSONValue, flag: JSONValue) throws {
    #expect(try sent("as: boolean", value) == flag)
  }

  @Test(arguments: [2, -1, 0.5, "maybe", "", []] as [JSONValue])
  func `a value that is not a boolean is refused`(value: JSONValue) throws {
    let fault = MappingFault.unsendable(member: "count", found: value.kind)
    #expect(throws: fault) { try sent("as: boolean", value) }
  }

  @Test(
    arguments: [
      (0, false), (1, true), (1.0, true), (2, 2), (-1, "less"), (2.5, "half"), ("1", true),
      (true, "yes"), (false, false), ("OFF", "no"),
    ] as [(JSONValue, JSONValue)]
  )
  func `numbers are mapped like texts`(value: JSONValue, mapped: JSONValue) throws {
    let map = "map: { 0: false, 1: true, -1: less, 2.5: half, true: yes, off: no }"
    #expect(try sent(map, value) == mapped)
  }

  /// Whether two values of the member `title` say the same.
  private func agree(_ rules: String, _ left: JSONValue, _ right: JSONValue) throws -> Bool {
    let program = try Self.program {
      $0.replacing("compare: {", with: "compare: { title: \(rules),")
    }
    return program.api.agree(left, right, of: "title")
  }

  @Test(arguments: ["instant", "second"])
  func `numbers that are near to each other are not one moment`(rule: String) throws {
    #expect(try !agree(rule, 0, 5))
    #expect(try agree(rule, 5, 5))
    #expect(try agree(rule, "2001-01-01T00:00:00.0004Z", "2001-01-01T00:00:00Z"))
  }

  @Test func `UUIDs are compared in any case, and other texts as they are`() throws {
    let id = "98A19660-06B3-5B0B-9595-B605EC1155F3"
    #expect(try agree("uuid", .string(id), .string(id.lowercased())))
    #expect(try !agree("uuid", "Work", "work"))
    #expect(try !agree("uuid", "é", "e\u{301}"))
    #expect(try !agree("uuid", "work ", "work"))
  }

  @Test func `several rules compare a member one after the other`() throws {
    #expect(try agree("[trim, blank]", "  ", .null))
    #expect(try agree("[blank, trim]", "  ", .null))
    #expect(try agree("[trim, case]", " A ", "a"))
    #expect(try !agree("[trim, case]", " A ", "b"))
    #expect(try !agree("trim", " A ", "a"))
    #expect(try agree("[set, trim]", ["b ", "a"], ["a", "b"]))
    #expect(try agree("[set, blank]", [], .null))
    #expect(try agree("[second, blank]", "", .null))
    #expect(try agree("[second, blank]", "2001-01-01T00:00:00.9Z", "2001-01-01T00:00:00Z"))
    #expect(throws: ProfileError.self) { try agree("[trim, ignored]", "a", "a") }
    #expect(throws: ProfileError.self) { try agree("[trim, trimm]", "a", "a") }
  }

  @Test func `values are compared, not spellings`() throws {
    let url = "image/" + String(repeating: "ab", count: 32)
    var theirs: JSONObject = [
      "title": "Too l", "ownerId": "Owner/O1", "labels": ["good", "good"], "mood": 1.0,
      "when": "2001-01-01T01:00:00.123+01:00", "fixed": 15e-1, "star": false,
      "photo": .string(url + "?signature=1"), "more": 1,
    ]
    #expect(try difference(.object(theirs)) == [])
    theirs["when"] = "2001-01-01T00:00:00.125Z"
    theirs["title"] = .null
    theirs["fixed"] = nil
    #expect(try difference(.object(theirs)) == ["fixed", "title", "when"])
  }

  @Test func `dates at the ends of the number range are not equal`() {
    let (last, first) = (JSONNumber(Int64.max), JSONNumber(Int64.min))
    #expect(!program.api.agree(.number(last), .number(first), of: "when"))
  }

  private func patch(_ place: JSONValue, over theirs: JSONValue) throws -> JSONValue {
    try document.parse(copying: edited("place", place).canonicalBytes)
    try remote.parse(copying: theirs.canonicalBytes)
    let members = try program.members(for: .update, of: document.root, in: document, .planning)
      .filter { ["place", "x"].contains($0.name) }
    let patch = program.patch(of: members, over: remote.root, in: remote)
    return try JSONValue(parsing: program.body(of: patch))
  }

  @Test func `an object is the same with null and without the member`() throws {
    let place: JSONValue = ["town": "Ulm", "at": ["x": .null]]
    #expect(try patch(place, over: ["place": ["town": "Ulm", "at": [:]]]) == [:])
    #expect(try patch(["town": "Ulm"], over: ["place": ["town": "Ulm", "at": .null]]) == [:])
    #expect(try patch(.null, over: ["x": 1]) == ["x": .null])
  }

  @Test func `a patch removes the fields that only the destination's object has`() throws {
    let theirs: JSONValue = ["place": ["town": "Ulm", "at": ["x": 1], "country": "DE"], "x": 1]
    #expect(
      try patch(["town": "Bern", "at": ["y": 2]], over: theirs) == [
        "place": ["town": "Bern", "at": ["x": .null, "y": 2], "country": .null]
      ]
    )
  }

  @Test func `a natural key is the same on both sides`() throws {
    try document.parse(copying: Self.record.canonicalBytes)
    let members = try program.members(for: .create, of: document.root, in: document, .planning)
    try remote.parse(
      copying: Array(#"{"title":"Too l","when":"2001-01-01T00:00:00.123Z"}"#.utf8)
    )
    #expect(program.naturalKey(of: members) == program.naturalKey(of: remote.root, in: remote))
    try remote.parse(copying: Array(#"{"title":"Too l","when":null}"#.utf8))
    #expect(program.naturalKey(of: members) != program.naturalKey(of: remote.root, in: remote))
  }

  @Test func `an unmapped field with a value is named`() throws {
    try document.parse(copying: Self.record.canonicalBytes)
    #expect(program.unmapped(in: document.root, of: document) == ["id", "tags", "price"])
  }

  @Test func `client identities depend on the record alone`() throws {
    let profile = try SampleApp.profile {
      $0.replacing("api:\n", with: "api:\n  client-id: uuid5\n")
    }
    let api = try #require(CompiledApi(profile: profile, references: [:]))
    let id = api.clientID(for: RecordID(entity: "Note", key: "A"))
    #expect(id == api.clientID(for: RecordID(entity: "Note", key: "A")))
    #expect(id != api.clientID(for: RecordID(entity: "Owner", key: "A")))
    #expect(id.utf8.count == 36)
    #expect(id.utf8.dropFirst(14).first == UInt8(ascii: "5"))
  }

  @Test func `a client identity may be the key in lower case`() throws {
    let profile = try SampleApp.profile {
      $0.replacing("api:\n", with: "api:\n  client-id: lower\n")
    }
    let api = try #require(CompiledApi(profile: profile, references: [:]))
    #expect(api.clientID(for: RecordID(entity: "Note", key: "5E0A-B")) == "5e0a-b")
  }

  @Test func `values in routes are escaped`() {
    let route = Route(method: .get, template: "/a/{id}/b")
    #expect(route.path(["id": "x/y é"]) == "/a/x%2Fy%20%C3%A9/b")
    #expect(route.path() == nil)
  }
}
