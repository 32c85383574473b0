import JSONText
import ProfileSettings
import Profiles
import Records
import RequestMapping
import Testing

/// What a profile says of a queue of changes, of identities that are numbers, and of scales.
@Suite struct QueueRuleTests {
  private static let queue = """
      Waiting:
        role: derived
        identity: { attribute: id }
        queue:
          kind: type
          target: noteId
          payload: payload
          order: at
          attempts: { member: tries, most: 3 }
          expires: 168h
          done: { member: state, values: [sent] }
          kinds: { editNote: { entity: Note, does: update } }
    """

  private func profile(_ edit: (String) -> String = { $0 }) throws(ProfileError) -> Profile {
    try SampleApp.profile {
      $0.replacing("\naccept-unmapped", with: "\n" + edit(Self.queue) + "\naccept-unmapped")
        .replacing(
          "identity: { attribute: id }\n    fields",
          with: "identity: { attribute: id }\n    sync: { evicts: true }\n    fields"
        )
    }
  }

  @Test func `a queue rule says what its changes do and when they are given up`() throws {
    let rule = try #require(try profile().entities.first { $0.name.text == "Waiting" }?.queue)
    #expect(rule.kind == "type" && rule.order == "at" && rule.priority == nil)
    #expect(rule.target == MemberPath("noteId") && rule.payload == MemberPath("payload"))
    #expect(rule.attempts?.member == "tries" && rule.attempts?.most == .count(3))
    #expect(rule.expires == .seconds(168 * 3_600))
    #expect(rule.done?.member == "state" && rule.done?.values == ["sent"])
    #expect(rule.kinds["editNote"]?.entity.text == "Note")
    #expect(rule.kinds["editNote"]?.action == .update)
  }

  @Test(arguments: [
    ("role: derived", "role: own", "not sent by itself"),
    ("entity: Note,", "entity: Nobody,", "describes no entity “Nobody”"),
    ("entity: Note,", "entity: Owner,", "says nothing of its state"),
    ("target: noteId", "priority: noteId", "nothing says which record"),
    ("order: at", "priority: at", "“expires” needs to know"),
    ("does: update", "does: paint", "not known at this place"),
    (", does: update", "", "“does” is missing"),
    ("does: update", "does: update, flag: payload.on", "cannot be rolled back by a “flag”"),
  ])
  func `a fault of a queue is named`(old: String, new: String, words: String) throws {
    let error = try #require(throws: ProfileError.self) {
      try profile { $0.replacing(old, with: new) }
    }
    #expect("\(error)".contains(words), "\(error)")
  }

  private static let waiting = "  Friend: { waits-in: Waiting }\n"

  @Test func `an entity may have queued changes only`() throws {
    let profile = try profile {
      $0.replacing(
        "does: update } }",
        with: "does: update }, follow: { entity: Friend, does: create } }"
      )
        + "\n" + Self.waiting
    }
    let friend = try #require(profile.entity("Friend"))
    #expect(friend.waitsIn == "Waiting" && friend.evicts && friend.sync == nil)
  }

  @Test(arguments: [
    ("waits-in: Waiting", "waits-in: Owner", "“Owner” is not a queue"),
    ("waits-in: Waiting", "waits-in: Waiting", "no kind of change in Waiting is about it"),
    ("waits-in: Waiting", "waits-in: Waiting, fields: { a: b }", "the store has no rows"),
  ])
  func `an entity without rows needs a queue that names it`(
    old: String,
    new: String,
    words: String
  ) throws {
    let error = try #require(throws: ProfileError.self) {
      try profile { $0 + "\n" + Self.waiting.replacing(old, with: new) }
    }
    #expect("\(error)".contains(words), "\(error)")
  }

  private func program(_ edit: (String) -> String) throws -> RequestProgram {
    let profile = try SampleApp.profile(edit)
    let api = try #require(CompiledApi(profile: profile, references: [:]))
    return try #require(api.program(for: "Note"))
  }

  @Test(
    arguments: [
      ("17", "17"), (.number(JSONNumber(17)), "17"), ("0", nil), ("-3", nil), ("017", nil),
      ("5E0A7C3D-0000-4000-8000-000000000001", nil), ("", nil), ("99999999999999999999", nil),
    ] as [(JSONValue, String?)]
  )
  func `only a number above zero is the destination's, where it gives numbers`(
    value: JSONValue,
    identity: String?
  ) throws {
    let program = try program {
      $0.replacing(
        "      natural-key: [title, when]",
        with: "      server-id: { member: id, form: number }"
      )
    }
    let document = JSONDocument()
    try document.parse(copying: JSONValue.object(["id": value]).canonicalBytes)
    #expect(program.serverID(in: document.root, of: document) == identity)
    #expect(program.namesByNumber(value.text ?? "17") == (identity != nil))
  }

  @Test(
    arguments: [
      (0, "-1"), (2.25, "-1"), (2.5, "1"), (3.75, "1"), (4, "2"), (5, "2"),
    ] as [(Double, String)]
  )
  func `a scale turns numbers into steps`(stars: Double, value: String) throws {
    let program = try program {
      $0.replacing(
        "fixed: { field: real, on: once }",
        with:
          "fixed: { field: real, scale: [{ below: 2.5, to: -1 }, { below: 4, to: 1 }, { to: 2 }] }"
      )
    }
    let members = try members(program, ["real": .number(JSONNumber(stars))])
    #expect(members["fixed"] == value)
  }

  @Test func `digits are sent as a number and a date without a zone as one in UTC`() throws {
    let program = try program {
      $0.replacing("fixed: { field: real, on: once }", with: "fixed: { field: real, as: number }")
        .replacing("when: when", with: "when: { field: when, as: utc }")
    }
    let first = try members(program, ["real": "501", "when": "2026-02-14T09:30:00.000"])
    #expect(first["fixed"] == "501" && first["when"] == "\"2026-02-14T09:30:00.000Z\"")
    let second = try members(program, ["real": "five", "when": "2026-02-14T09:30:00+02:00"])
    #expect(second["fixed"] == "\"five\"" && second["when"] == "\"2026-02-14T09:30:00+02:00\"")
  }

  @Test func `an object is the same as its number`() throws {
    let program = try program {
      $0.replacing("compare: {", with: "compare: { fixed: id,")
    }
    let document = JSONDocument()
    try document.parse(copying: Array(#"{"fixed":{"id":501,"name":"Bottle 501"}}"#.utf8))
    func isSame(_ value: String) -> Bool {
      let member = RequestField(name: "fixed", value: Array(value.utf8))
      return program.isSame([member], document.root, in: document)
    }
    #expect(isSame("501") && isSame("\"501\"") && !isSame("502"))
  }

  @Test func `times within one second are equal where the destination keeps seconds`() throws {
    let program = try program { $0.replacing("when: instant", with: "when: second") }
    func agree(_ left: JSONValue, _ right: JSONValue) -> Bool {
      program.api.agree(left, right, of: "when")
    }
    #expect(agree("2026-02-14T09:30:00Z", "2026-02-14T09:30:00.999Z"))
    #expect(agree("2026-02-14T09:30:00Z", "2026-02-14T10:30:00.5+01:00"))
    #expect(!agree("2026-02-14T09:30:00Z", "2026-02-14T09:30:01Z"))
  }

  @Test(arguments: ["[{ below: 4, to: 1 }]", "[{ to: 1 }, { below: 4, to: 2 }]", "7"])
  func `a scale that does not rise to its end is a fault`(scale: String) throws {
    #expect(throws: ProfileError.self) {
      try program {
        $0.replacing(
          "fixed: { field: real, on: once }",
          with: "fixed: { field: real, scale: \(scale) }"
        )
      }
    }
  }

  private func members(_ program: RequestProgram, _ record: JSONObject) throws -> [String: String] {
    let document = JSONDocument()
    try document.parse(copying: JSONValue.object(record).canonicalBytes)
    var found: [String: String] = [:]
    for member in try program.members(for: .create, of: document.root, in: document, .planning) {
      found[member.name] = String(decoding: member.value, as: UTF8.self)
    }
    return found
  }
}
