import JSONText
import ProfileSettings
import Profiles
import Records
import RequestMapping
import Testing

/// What a profile says of an app's own state, and how it is read from a record.
@Suite struct SyncRuleTests {
  private static let anchor = "identity: { attribute: id }\n"
  private static let sync = """
    sync:
          state: state
          means: { 0: synced, pendingDelete: delete, "": create }
          deleted: deletedAt
          version: version
          unset: [0, none]
    """

  private func profile(_ more: String) throws(ProfileError) -> Profile {
    try SampleApp.profile {
      $0.replacing(Self.anchor, with: Self.anchor + "    " + more + "\n")
        .replacing("      natural-key: [title, when]", with: "      server-id: serverId")
    }
  }

  private func claim(
    _ record: JSONValue,
    _ edit: (String) -> String = { $0 }
  ) throws -> SourceClaim {
    let profile = try profile(edit(Self.sync))
    let api = try #require(CompiledApi(profile: profile, references: [:]))
    let program = try #require(api.program(for: "Note"))
    let document = JSONDocument()
    try document.parse(copying: record.canonicalBytes)
    return program.claim(in: document.root, of: document)
  }

  @Test(
    arguments: [
      (JSONValue.number(JSONNumber(0)), SourceClaim.Meaning.synced), ("pendingDelete", .delete),
      (.null, .create), ("unheard of", .changed),
    ] as [(JSONValue, SourceClaim.Meaning)]
  )
  func `a sync state has the meaning that the profile gives it`(
    state: JSONValue,
    meaning: SourceClaim.Meaning
  ) throws {
    let claim = try claim(["state": state])
    #expect(claim.meaning == meaning)
    #expect(claim.unlisted == (state == "unheard of" ? "unheard of" : nil))
    #expect(claim.isDeleted == (meaning == .delete))
  }

  @Test(
    arguments: [
      (JSONValue.null, false), (false, false), (.number(JSONNumber(0)), false), ("", false),
      (true, true), ("2024-01-01T00:00:00Z", true),
    ] as [(JSONValue, Bool)]
  )
  func `a deletion marker needs a value`(mark: JSONValue, isDeleted: Bool) throws {
    #expect(try claim(["state": 0, "deletedAt": mark]).isDeleted == isDeleted)
  }

  @Test func `an identity of the server is text or a whole number`() throws {
    #expect(try claim(["serverId": "a"]).serverID == "a")
    #expect(try claim(["serverId": 17]).serverID == "17")
    #expect(try claim(["serverId": ""]).serverID == nil)
    #expect(try claim(["serverId": .null]).serverID == nil)
  }

  @Test(
    arguments: [
      (JSONValue.number(JSONNumber(7)), "7", true), (.number(JSONNumber(7)), "8", false),
      (.number(JSONNumber(0)), "7", nil), ("none", "7", nil), (.null, "7", nil),
      ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z", true),
    ] as [(JSONValue, String, Bool?)]
  )
  func `a version is the first base, and a version that was never set is nil`(
    version: JSONValue,
    now: String,
    holds: Bool?
  ) throws {
    #expect(try claim(["version": version]).holds(at: now) == holds)
  }

  @Test func `a date of the last sync is a base for versions that are dates`() throws {
    let claim = try claim(["version": "2024-05-01T12:00:00Z"]) {
      $0.replacing("version: version\n      unset: [0, none]", with: "as-of: version")
    }
    #expect(claim.holds(at: "2024-05-01T12:00:00Z") == true)
    #expect(claim.holds(at: "2024-04-01T12:00:00.000Z") == true)
    #expect(claim.holds(at: "2024-05-01T12:00:01Z") == false)
    #expect(claim.holds(at: "7") == nil)
  }

  @Test(arguments: [
    ("sync: { state: state }", "belong together"),
    ("sync: { state: s, means: { 0: sent } }", "“sent” is not known at this place"),
    ("sync: { version: a, as-of: b }", "two ways to say the same"),
    ("sync: { unset: [0] }", "of no member"),
    ("sync: { colour: red }", "colour"),
    ("owner: { unowned: own }", "“member” is missing"),
    ("owner: userId", "who is signed in"),
    ("carry: listed\n    sync: { deleted: gone }", "not a member of the record"),
    ("omit: [gone]\n    sync: { deleted: gone }", "not a member of the record"),
  ])
  func `an invalid setting is named`(text: String, words: String) throws {
    let error = try #require(throws: ProfileError.self) { try profile(text) }
    #expect("\(error)".contains(words), "\(error)")
  }

  @Test(arguments: [
    ("conflict: newest", "nothing says which side is newer"),
    ("conflict: { policy: remote, fields: { title: ask } }", "only a merge"),
    ("conflict: { policy: merge, fields: { nowt: sum } }", "not a member of the body"),
    ("conflict: { policy: merge, fields: { title: add } }", "not a way to merge two values"),
    ("conflict: { policy: merge, fields: { title: { average: -1 } } }", "above zero"),
    ("conflict: sometimes", "not known at this place"),
  ])
  func `a fault of a conflict policy is named`(text: String, words: String) throws {
    let error = try #require(throws: ProfileError.self) {
      try SampleApp.profile {
        $0.replacing("unmapped: [id, tags,", with: "\(text)\n      unmapped: [id, tags,")
      }
    }
    #expect("\(error)".contains(words), "\(error)")
  }

  @Test func `an account that names no entity is a fault`() throws {
    let error = try #require(throws: ProfileError.self) {
      try SampleApp.profile { "account: { entity: Nobody, member: id }\n" + $0 }
    }
    #expect("\(error)".contains("names no entity"))
  }
}
