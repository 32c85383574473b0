import JSONText
import Records
import RequestMapping
import Testing

/// When the content at the destination says the same, and when it may be the same record.
@Suite struct ComparisonTests {
  private func program(_ edit: (String) -> String) throws -> RequestProgram {
    let profile = try SampleApp.profile(edit)
    let api = try #require(CompiledApi(profile: profile, references: [:]))
    return try #require(api.program(for: "Note"))
  }

  @Test func `a record is found by a list that names it, in whatever order and case`() throws {
    let program = try program {
      $0.replacing("labels: set, when", with: "when")
        .replacing("natural-key: [title, when]", with: "natural-key: [labels]")
    }
    func key(_ labels: JSONValue) -> Digest? {
      program.naturalKey(of: [RequestField(name: "labels", value: labels.canonicalBytes)])
    }
    #expect(key(["Brave", "Kind"]) == key(["kind", "brave"]))
    #expect(key(["Brave", "Kind"]) != key(["Brave", "Funny"]))
    #expect(!program.api.agree(["Brave", "Kind"], ["kind", "brave"], of: "labels"))
  }

  @Test func `two texts of a list that look alike and are spelled differently are two`() throws {
    let program = try program { $0 }
    let both: JSONValue = ["caf\u{E9}", "cafe\u{301}"]
    #expect(!program.api.agree(both, ["caf\u{E9}"], of: "labels"))
    #expect(program.api.agree(both, ["cafe\u{301}", "caf\u{E9}"], of: "labels"))
  }

  @Test func `a record's unchanging key is distinguished from another record's key`() throws {
    let program = try program {
      $0.replacing("natural-key: [title, when]", with: "natural-key: [title, when, fixed, mood]")
        .replacing("when: when\n", with: "when: { field: when, on: once }\n")
    }
    #expect(program.lastingKey == ["when", "fixed"])
    func differing(_ there: JSONObject) -> [Int] {
      let ours: [(String, JSONValue)] = [("when", "2001-01-01T00:00:00.0001Z"), ("fixed", 1.5)]
      let members = ours.map { RequestField(name: $0.0, value: $0.1.canonicalBytes) }
      let found = program.disagreement(of: members, with: there)
      return [found.shown, found.differing]
    }
    #expect(differing(["when": "2001-01-01T00:00:00Z", "fixed": 1.5]) == [2, 0])
    #expect(differing(["when": "2002-01-01T00:00:00Z", "fixed": 1.5]) == [2, 1])
    #expect(differing(["when": "2002-01-01T00:00:00Z", "fixed": 2]) == [2, 2])
    #expect(differing(["when": "2002-01-01T00:00:00Z", "fixed": .null]) == [1, 1])
    #expect(differing([:]) == [0, 0])
  }

  @Test func `a value that the server trimmed, recased or rounded is still the same record`()
    throws
  {
    let program = try program { $0 }
    func differing(_ ours: JSONValue, _ theirs: JSONValue) -> Int {
      let member = RequestField(name: "title", value: ours.canonicalBytes)
      return program.disagreement(of: [member], with: ["title": theirs]).differing
    }
    let same: [(JSONValue, JSONValue)] = [
      (" A Title ", "a title"), ("2001-01-01T00:00:01.75Z", "2001-01-01T00:00:02.000Z"),
      ("2001-01-01T00:00:01.75+00:00", "2001-01-01T00:00:01Z"), (1.1, 1.100000023841858),
      (2.345, 2.35),
    ]
    for (ours, theirs) in same { #expect(differing(ours, theirs) == 0, "\(ours) \(theirs)") }
    let others: [(JSONValue, JSONValue)] = [
      ("a title", "a title 2"), ("2001-01-01T00:00:01Z", "2001-01-01T00:00:02Z"), (1, 2),
      (1.5, 1.6),
    ]
    for (ours, theirs) in others { #expect(differing(ours, theirs) == 1, "\(ours) \(theirs)") }
  }

  @Test func `an empty list equals a missing one where the profile equates blank values`() throws {
    let program = try program { $0.replacing("labels: set", with: "labels: blank") }
    func agree(_ left: JSONValue, _ right: JSONValue) -> Bool {
      program.api.agree(left, right, of: "labels")
    }
    #expect(agree([], .null) && agree(.null, []))
    #expect(!agree([], ["a"]) && !agree([""], .null))
  }

  // A storage signs addresses of a host of its own.
  @Test func `addresses with one path are equal, regardless of the host`() throws {
    let program = try program { $0.replacing("photo: address", with: "photo: path") }
    let stored: JSONValue = "https://media.example/audio/u1/17-a.mp3"
    func isSame(_ there: JSONValue) -> Bool { program.api.agree(stored, there, of: "photo") }
    #expect(isSame("https://bucket.account.example/audio/u1/17-a.mp3?X-Amz-Expires=900"))
    #expect(isSame("audio/u1/17-a.mp3"))
    #expect(!isSame("https://media.example/audio/u1/18-a.mp3"))
    #expect(!isSame("https://media.example") && !isSame(.null))
  }
}
