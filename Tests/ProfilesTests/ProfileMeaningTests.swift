import StageSupport
import Profiles
import Testing

/// What a profile means, whichever way it is written, and what two profiles say otherwise.
@Suite struct ProfileMeaningTests {
  @Test(arguments: [
    ("title: title\n", "title: { attribute: title }\n"),
    ("title: title\n", "title: { attribute: title, as: plain, absent: refuse }\n"),
    ("when: when\n", "when: { field: when }\n"),
    ("when: when\n", "when: { field: when, on: create, case: kept }\n"),
    ("    identity: object-uri\n", ""),
    ("identity: object-uri\n", "identity: object-uri\n    role: own\n"),
    ("natural-key: [name]", "natural-key: name"),
    ("api:\n", "api:\n  settle: 60s\n  concurrency: 2\n"),
    ("api:\n", "api:\n  settle: 1m\n  kind: rest\n"),
    ("replay: look-up", "conflict: remote\n      replay: look-up"),
    ("replay: look-up", "conflict: { policy: remote }"),
    ("omit: [secret]", "omit: secret\n    carry: all"),
  ])
  func `short forms and defaults do not change the digest`(short: String, long: String) throws {
    let plain = try SampleApp.profile()
    let written = try SampleApp.profile { $0.replacing(short, with: long) }
    #expect(written.digest == plain.digest)
    #expect(plain.changes(to: written).isEmpty)
  }

  @Test(arguments: ["profile.yaml", "later.profile.yaml"])
  func `a shipped profile reads back from its expanded text as the same`(name: String) throws {
    try expectSame(ShippedProfile.read(name))
  }

  @Test func `a profile reads back from its expanded text as the same`() throws {
    try expectSame(SampleApp.profile())
    try expectSame(
      SampleApp.profile { $0.replacing("default: 3", with: "default: \"a\\u2028b: #\"") }
    )
  }

  private func expectSame(_ profile: Profile) throws {
    let read = try Profile(yaml: profile.expandedText, path: profile.path)
    #expect(read.digest == profile.digest)
    #expect(read.api == profile.api)
    #expect(read.entities.map(\.name) == profile.entities.map(\.name))
    #expect(read.entities.map(\.fields) == profile.entities.map(\.fields))
    #expect(read.expandedText == profile.expandedText)
  }

  @Test func `a profile difference names each key with its old and new value`() throws {
    let plain = try SampleApp.profile()
    let other = try SampleApp.profile {
      $0.replacing("title: title\n", with: "title: mood\n")
        .replacing("      mood: mood\n      place", with: "      place")
        .replacing("api:\n", with: "api:\n  settle: 90s\n")
        .replacing("replay: look-up", with: "replay: look-up\n      version: rev")
    }
    let changes = plain.changes(to: other)
    #expect(
      Set(changes.map(\.description)).isSuperset(of: [
        "api.settle (\"1m\", now \"90s\")",
        "api.entities.Owner.version (added)",
        "entities.Note.fields.mood (removed)",
        "entities.Note.fields.title.attribute (\"title\", now \"mood\")",
      ])
    )
  }

  @Test func `another profile's routes replace routes and sign-in only`() throws {
    let plain = try SampleApp.profile()
    let other = try SampleApp.profile {
      $0.replacing("POST /owners", with: "POST /people").replacing(
        "title: title\n",
        with: "title: mood\n"
      )
      .replacing("api:\n", with: "api:\n  settle: 90s\n  basic: { user: a, password: b }\n")
    }
    let merged = try plain.withRoutes(of: other)
    #expect(
      plain.changes(to: merged).map(\.description) == [
        "api.basic (added)",
        "api.entities.Owner.create.request (\"POST /owners\", now \"POST /people\")",
      ]
    )
    #expect(try other.withRoutes(of: plain).withRoutes(of: other).digest == other.digest)
  }

  @Test func `entities in another order are a difference`() throws {
    let profile = "ferry-profile: 1\napp: two\nentities:\n  "
    let first = try Profile(yaml: profile + "A: {}\n  B: {}\n", path: "p.yaml")
    let second = try Profile(yaml: profile + "B: {}\n  A: {}\n", path: "p.yaml")
    #expect(first.digest != second.digest)
    #expect(first.changes(to: second).map(\.description) == ["entities (in another order)"])
  }
}
