import JSONText
import ProfileSettings
import Profiles
import RecordMapping
import Records
import RequestMapping
import Testing

/// Names of members that a profile's interface uses, held against the members that records have.
@Suite struct MemberNameTests {
  private func faults(_ edits: (String, String)...) throws -> [ProfileFault] {
    let error = try #require(throws: ProfileError.self) {
      let profile = try SampleApp.profile { text in
        edits.reduce(text) { text, edit in
          #expect(text.contains(edit.0), "\(edit.0)")
          return text.replacing(edit.0, with: edit.1)
        }
      }
      _ = try CompiledExport(profile: profile, model: SampleApp.model)
    }
    return error.faults
  }

  /// A slip in a profile, where it is reported, and the name that was meant.
  struct Slip: CustomTestStringConvertible {
    let old: String
    let new: String
    let place: String
    let name: String
    let nearest: String

    init(_ old: String, _ new: String, at place: String, _ name: String, _ nearest: String) {
      (self.old, self.new, self.place) = (old, new, place)
      (self.name, self.nearest) = (name, nearest)
    }

    var testDescription: String { new }
  }

  private static let unmappedFields = "unmapped: [id, tags, extra"

  // The note's attributes are carried, so that only the model says which there are.
  private static let slips = [
    Slip("when: when", "when: whem", at: "Note/body/when", "“whem”", "“when”"),
    Slip("{ field: flag,", "{ field: Flag,", at: "Note/body/star", "“Flag”", "“flag”"),
    // A field that the profile lists, and that no request takes then.
    Slip("list: [mood, town]", "list: [mood, twon]", at: "Note", "“town”", "write it for “twon”"),
    Slip(
      "ownerId: { reference: owner }",
      "ownerId: { reference: ownr }",
      at: "Note",
      "“owner”",
      "write it for “ownr”"
    ),
    Slip("place.at.x", "place.att.x", at: "Note/body/x", "“att”", "“at”"),
    Slip("[title, when]", "[titel, when]", at: "natural-key", "“titel”", "“title”"),
    Slip("compare: { labels", "compare: { lables", at: "compare", "“lables”", "“labels”"),
    Slip(
      unmappedFields,
      "needs: titel\n      \(unmappedFields)",
      at: "needs",
      "“titel”",
      "“title”"
    ),
    Slip(
      unmappedFields,
      "server-id: ids\n      \(unmappedFields)",
      at: "server-id",
      "“ids”",
      "“id”"
    ),
    Slip(
      unmappedFields,
      "conflict: { policy: newest, newest: { local: wen, remote: w } }\n      \(unmappedFields)",
      at: "newest/local",
      "“wen”",
      "“when”"
    ),
    Slip("{ media: photo,", "{ media: foto,", at: "body/photo", "“foto”", "add it to “media”"),
    Slip("{ attribute: id }", "{ attribute: idd }", at: "Note/identity", "“idd”", "“id”"),
    Slip("title: title\n", "title: titel\n", at: "Note/fields/title", "“titel”", "“title”"),
    // A source that other stores may lack, too.
    Slip(
      "later: { attribute: later, absent: omit }",
      "later: { attribute: prise, absent: omit }",
      at: "Note/fields/later",
      "“prise”",
      "“price”"
    ),
    Slip(
      "never: { attribute: never, absent: \"null\" }",
      "never: { reference: ownr2, absent: \"null\" }",
      at: "Note/fields/never",
      "“ownr2”",
      "“owner2”"
    ),
    Slip("from: photo,", "from: phto, absent: omit,", at: "Note/media/photo", "“phto”", "“photo”"),
    Slip(
      "tags: { references: tags }",
      "tags: { references: tgas, absent: omit }",
      at: "Note/fields/tags",
      "“tgas”",
      "“tags”"
    ),
  ]

  @Test(arguments: slips)
  func `a name that records do not have is refused, with the one that is nearest`(slip: Slip)
    throws
  {
    let faults = try faults((slip.old, slip.new))
    #expect(
      faults.contains {
        $0.pointer.hasSuffix(slip.place) && $0.cause.contains(slip.name)
          && $0.cure.contains(slip.nearest)
      },
      "\(faults)"
    )
  }

  @Test func `a field that the profile marks as missing in some stores may be named`() throws {
    let profile = try SampleApp.profile {
      $0.replacing("        place: place\n", with: "        place: place\n        later: later\n")
        .replacing("extra, later, never", with: "extra, never")
    }
    _ = try CompiledExport(profile: profile, model: SampleApp.model)
  }

  @Test func `a source that other stores have is no slip where a field takes the name near it`()
    throws
  {
    let profile = try SampleApp.profile {
      $0.replacing(
        "later: { attribute: later, absent: omit }",
        with: "later: { attribute: titles, absent: omit }"
      )
    }
    _ = try CompiledExport(profile: profile, model: SampleApp.model)
  }

  @Test func `a name that is carried as it is, but that no field names, is said to be so`() throws {
    let faults = try faults(
      (
        "later: { attribute: later, absent: omit }", "later: { attribute: prise, absent: omit }"
      )
    )
    let cause = "the store's entity Note has no “prise”, and no field names “price”"
    #expect(faults.contains { $0.cause == cause }, "\(faults)")
  }

  @Test(arguments: [
    // Another kind of thing, a short name, and one that is counted.
    "attribute: ownr2", "reference: prise", "attribute: lis", "attribute: blo",
    "attribute: blob2",
  ])
  func `a source that other stores have is no slip for a name that is only like it`(source: String)
    throws
  {
    let profile = try SampleApp.profile {
      $0.replacing(
        "later: { attribute: later, absent: omit }",
        with: "later: { \(source), absent: omit }"
      )
    }
    _ = try CompiledExport(profile: profile, model: SampleApp.model)
  }

  @Test func `if every field is listed, a name is refused without a store`() throws {
    let error = try #require(throws: ProfileError.self) {
      try SampleApp.profile {
        $0.replacing("identity: object-uri", with: "identity: object-uri\n    carry: listed")
          .replacing("body: { name: name }\n      n", with: "body: { name: nam }\n      n")
      }
    }
    let places = ["/api/entities/Owner/body/name", "/api/entities/Owner"]
    #expect(error.faults.map(\.pointer) == places)
    #expect(error.faults.first?.cause == "“nam” is not a member of the record")
    #expect(error.faults.first?.cure.hasPrefix("write “name”") == true)
  }

  @Test func `the object's address is a member only where it is the identity`() throws {
    let faults = try faults(("count: { field: count, default: 3 }", "count: { field: $id }"))
    #expect(faults.contains { $0.cause == "“$id” is not a member of the record" })
    _ = try SampleApp.profile {
      $0.replacing(
        "body: { name: name }\n      n",
        with: "body: { name: name, address: $id }\n      n"
      )
    }
  }

  @Test func `a name that a package's records do not have is refused`() throws {
    let profile = try SampleApp.profile()
    let members: Set = ["id", "title", "owner", "mood", "town", "when", "flag", "real", "count"]
    let faults = profile.faults(of: "Note", having: members.subtracting(["when"]))
    #expect(faults.map(\.pointer) == ["/api/entities/Note/body/when"])
    #expect(profile.faults(of: "Note", having: members).isEmpty)
  }

  // MARK: - Braces

  private static let media = "media:\n    enabled: true"

  @Test(arguments: [
    ("{ field: real, on: once }", "{ constant: \"{account}\" }", "/body/fixed/constant"),
    ("default: 3", "default: \"{since}\"", "/body/count/default"),
    ("GET /owners", "\"GET /owners?since={since}\"", "/list/request"),
    ("GET /owners", "\"GET /owners/{id}\"", "/list/request"),
    ("PATCH /notes/{id}", "PATCH /notes/{id}?by={account}", "/update/request"),
    ("PUT /notes/{id}", "PUT /{tenant}/notes/{id}", "/create/request"),
    ("POST /upload", "\"POST /upload/{account}\"", "/media/ticket/request"),
    (media, "headers: { X-Account: \"{account}\" }\n  \(media)", "/api/headers/X-Account"),
    (media, "basic: { user: \"{user}\", password: \"\" }\n  \(media)", "/api/basic/user"),
    (
      media, "account: { request: \"GET /users/{user}\", member: id }\n  \(media)",
      "/api/account/request"
    ),
    (
      "api:\n", "destinations: { live: { url: \"https://{tenant}.example.com\" } }\napi:\n",
      "/destinations/live/url"
    ),
  ])
  func `braces with an unknown name are refused`(old: String, new: String, place: String) throws {
    let faults = try faults((old, new))
    #expect(faults.contains { $0.pointer.hasSuffix(place) && $0.cause.contains("{") }, "\(faults)")
  }

  @Test func `braces around other text than a name are kept as text`() throws {
    let profile = try SampleApp.profile {
      $0.replacing("default: 3", with: #"default: "{ 1: [2] }""#)
        .replacing("api:\n", with: "api:\n  forbidden: [\"DELETE /notes/{note}\"]\n")
    }
    #expect(profile.api?.forbidden.count == 1)
  }

  // MARK: - What goes nowhere

  private static func isOff(_ yaml: String) -> String {
    yaml.replacing("enabled: true", with: "enabled: false")
  }

  private func unmapped(_ edit: (String) -> String) throws -> [String] {
    let export = try CompiledExport(profile: SampleApp.profile(edit), model: SampleApp.model)
    return export.unmapped.filter { $0.entity == "Note" }.compactMap(\.member)
  }

  @Test func `a file counts as unmapped where files are not sent, or no request sends it`() throws {
    #expect(try !unmapped { $0 }.contains("photo"))
    #expect(try unmapped(Self.isOff).contains("photo"))
    #expect(
      try unmapped { $0.replacing("photo: { media: photo, on: complete }", with: "photo: photo") }
        .contains("photo")
    )
  }

  @Test func `a record counts a file as unmapped in every plan where files are not sent`() throws {
    func unmappedFields(_ edit: @escaping (String) -> String) throws -> [String] {
      var losses: [RecordLoss] = []
      let record = try SampleApp.record(["photo": .text("a.png")], losses: &losses, edit)
      let export = try CompiledExport(profile: SampleApp.profile(edit), model: SampleApp.model)
      let references = Dictionary(
        uniqueKeysWithValues: export.programs.map { ($0.entity, $0.references) }
      )
      let api = try #require(CompiledApi(profile: export.profile, references: references))
      let program = try #require(api.program(for: "Note"))
      let document = JSONDocument()
      try document.parse(copying: record.canonicalBytes)
      return program.unmapped(in: document.root, of: document)
    }
    #expect(try !unmappedFields { $0 }.contains("photo"))
    #expect(try unmappedFields(Self.isOff).contains("photo"))
  }
}
