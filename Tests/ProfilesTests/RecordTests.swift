import JSONText
import ProfileSettings
import Profiles
import RecordMapping
import Records
import Testing

@Suite struct RecordTests {
  private func record(_ values: [String: TestRow.Value]) throws -> JSONValue {
    var losses: [RecordLoss] = []
    let record = try SampleApp.record(["title": .text("t")].merging(values) { $1 }, losses: &losses)
    #expect(losses.isEmpty)
    return record
  }

  @Test func `every attribute is exported in its own form`() throws {
    let record = try record([
      "count": .integer(.min), "real": .real(0.1 + 0.2), "flag": .integer(1),
      "when": .real(-3600.25), "price": .text("12.30"), "blob": .blob([0, 255]),
      "list": .json(#"["b", "a"]"#), "extra": .blob(Array(#"{"b":1, "a":2}"#.utf8)),
      "mood.mood": .text("Good"), "photo": .text("p.png"), "title": .text("é\n"),
    ])
    let expected: JSONValue = [
      "id": "00010203-0405-0607-0809-0A0B0C0D0E0F", "title": "é\n",
      "count": .number(JSONNumber(.min)), "real": 0.30000000000000004, "flag": true,
      "when": "2000-12-31T22:59:59.75Z", "price": "12.30", "blob": "AP8=", "list": ["b", "a"],
      "extra": ["a": 2, "b": 1], "mood": "Good",
      "photo": [
        "state": "present", "name": "p.png", "size": 7,
        "sha256": .string(String(repeating: "ab", count: 32)),
      ],
      "owner": .null, "owner2": .null, "tags": [], "place": .null, "town": .null, "never": .null,
    ]
    #expect(record == expected)
  }

  @Test func `a large array is written in its canonical form, one element at a time`() throws {
    let elements = (0..<200_000).map { "{\"b\": \($0), \"a\": [1 ]}" }
    let json = "[ \(elements.joined(separator: " ,"))]"
    let record = try record(["list": .json(json)])
    #expect(record["list"]?.array?.count == 200_000)
    #expect(record["list"]?.array?.last == ["a": [1], "b": 199_999])
  }

  @Test(arguments: ["", "]]", ",]"])
  func `a large array that is no JSON is kept as bytes, with a loss`(end: String) throws {
    let json = "[" + String(repeating: "1,", count: 1 << 19) + "1" + end
    var losses: [RecordLoss] = []
    let record = try SampleApp.record(
      ["title": .text("t"), "list": .json(json)],
      losses: &losses
    )
    #expect(losses.map(\.kind) == [.notJSON])
    #expect(record["list"]?["$base64"] != nil)
  }

  @Test func `composites and references are written`() throws {
    let record = try record([
      "place.at.x": .real(2), "owner": .text("x-coredata://S/Owner/p1"),
      "tags": .list(["B", "A"]),
    ])
    #expect(record["place"] == ["town": .null, "at": ["x": 2]])
    #expect(record["owner"] == "x-coredata://S/Owner/p1")
    #expect(record["tags"] == ["B", "A"])
  }

  @Test(arguments: [
    (0.0015, "2001-01-01T00:00:00.001Z", 1), (-0.0015, "2000-12-31T23:59:59.998Z", 1),
    (0.0005, "2001-01-01T00:00:00Z", 1), (0.25, "2001-01-01T00:00:00.25Z", 0),
    (1.005, "2001-01-01T00:00:01.005Z", 0), (7, "2001-01-01T00:00:07Z", 0),
  ])
  func `a date is cut to milliseconds where the profile asks, and counted`(
    seconds: Double,
    text: String,
    count: Int
  ) throws {
    var losses: [RecordLoss] = []
    let record = try SampleApp.record(
      ["title": .text("t"), "when": .real(seconds)],
      losses: &losses
    ) {
      $0.replacing(
        "      mood: mood\n      place",
        with: "      when: { attribute: when, as: milliseconds }\n      mood: mood\n      place"
      )
    }
    #expect(record["when"]?.text == text)
    #expect(losses == Array(repeating: RecordLoss(kind: .cutDate, member: "when"), count: count))
  }

  @Test func `a number that no double holds is kept whole and reported`() throws {
    var losses: [RecordLoss] = []
    let record = try SampleApp.record(
      ["title": .text("t"), "real": .integer(9_007_199_254_740_993)],
      losses: &losses
    )
    #expect(record["real"]?.canonicalText == "9007199254740993")
    #expect(losses == [RecordLoss(kind: .otherKind, member: "real")])
  }

  @Test func `a value beyond JSON numbers is exported as text`() throws {
    #expect(try record(["real": .real(.nan)])["real"] == "NaN")
    #expect(try record(["real": .real(-.infinity)])["real"] == "-Infinity")
    #expect(try record(["price": .real(.infinity)])["price"] == "Infinity")
    #expect(try record(["price": .integer(5)])["price"] == "5")
  }

  @Test(arguments: [
    (
      "title", TestRow.Value.rawText([0x61, 0xFF]), RecordLoss.Kind.notUTF8, #"{"$base64":"Yf8="}"#
    ),
    ("title", .null, .missing, "null"),
    ("extra", .blob([0x7B]), .notJSON, #"{"$base64":"ew=="}"#),
    ("count", .text("five"), .otherKind, #""five""#),
    ("flag", .integer(2), .otherKind, "2"),
    ("when", .real(1e300), .noInstant, #""1e+300""#),
    ("when", .real(.nan), .noInstant, #""NaN""#),
    ("blob", .text("text"), .otherKind, #""text""#),
  ])
  func `an unusual value is kept and reported`(
    field: String,
    value: TestRow.Value,
    kind: RecordLoss.Kind,
    text: String
  ) throws {
    var losses: [RecordLoss] = []
    let record = try SampleApp.record(
      ["title": .text("t")].merging([field: value]) { $1 },
      losses: &losses
    )
    #expect(losses == [RecordLoss(kind: kind, member: field)])
    #expect(record[field]?.canonicalText == text)
  }

  @Test(
    arguments: [
      ("", "null", #"["a","c"]"#, [RecordLoss.Kind.leftOut]),
      ("omit", "null", #"["a","c"]"#, [.leftOut]),
      ("keep", #""x""#, #"["a","b","c"]"#, [.keptLink]),
      ("refuse", #""x""#, #"["a","b","c"]"#, []),
    ]
  )
  func `a link to a missing record is handled as the profile says`(
    rule: String,
    one: String,
    many: String,
    kinds: [RecordLoss.Kind]
  ) throws {
    for head in [true, false] where head || !rule.isEmpty {
      var losses: [RecordLoss] = []
      let record = try SampleApp.record(
        ["title": .text("t"), "owner": .dangling("x"), "tags": .danglingList(["a", "b", "c"])],
        losses: &losses
      ) { yaml in
        if rule.isEmpty { return yaml }
        // The profile says it of all entities, or an entity says it for itself.
        return head
          ? yaml.replacing(
            "entities:\n",
            with: "dangling: \(rule)\nentities:\n",
            maxReplacements: 1
          )
          : yaml.replacing(
            "  Note:\n",
            with: "  Note:\n    dangling: \(rule)\n",
            maxReplacements: 1
          )
      }
      #expect(record["owner"]?.canonicalText == one)
      #expect(record["tags"]?.canonicalText == many)
      let reported = ["owner", "tags"].flatMap { member in
        kinds.map { RecordLoss(kind: $0, member: member) }
      }
      #expect(losses == reported)
    }
  }

  @Test func `a foreign key to a row that is gone is left out with a warning`() throws {
    var losses: [RecordLoss] = []
    let record = try SampleApp.record(
      ["title": .text("t"), "owner": .dangling("x", isExpected: false)],
      losses: &losses
    )
    #expect(record["owner"]?.canonicalText == "null")
    #expect(losses == [RecordLoss(kind: .lostRow, member: "owner")])
    #expect(losses.first?.finding(entity: "Note", count: 1).severity == .warning)
  }

  @Test func `keys are exported as text`() throws {
    let export = try SampleApp.export()
    let note = try #require(export.program(for: "Note"))
    #expect(note.keyMember == "id")
    let row = SampleApp.row(note, ["id": .blob(SampleApp.noteID)])
    #expect(try note.key(of: row.row) == "00010203-0405-0607-0809-0A0B0C0D0E0F")
    #expect(throws: RecordFault.self) { try note.key(of: SampleApp.row(note, [:]).row) }
    let owner = try #require(export.program(for: "Owner"))
    #expect(owner.keyMember == "$id")
    #expect(owner.members == ["$id", "name"])
    #expect(owner.omitted == ["secret"])
  }

  @Test func `references state their entity`() throws {
    let note = try #require(try SampleApp.export().program(for: "Note"))
    #expect(
      note.references == [
        RecordReference(member: "owner", targets: ["Owner"], isToMany: false),
        RecordReference(member: "owner2", targets: ["Owner"], isToMany: false),
        RecordReference(member: "tags", targets: ["Note"], isToMany: true),
      ]
    )
  }

  @Test func `only the member that the model calls a list's inverse leads back to its owner`()
    throws
  {
    let profile = try SampleApp.profile {
      $0.replacing(
        "name: name\n    omit",
        with: "name: name\n      notes: { references: notes }\n    omit"
      )
      .replacing("natural-key: [name]", with: "natural-key: [name]\n      unmapped: [notes]")
      .replacing("owner: { reference: owner }", with: "theirs: { reference: owner }")
      .replacing(
        "{ reference: owner }\n        labels",
        with: "{ reference: theirs }\n        labels"
      )
    }
    let export = try CompiledExport(profile: profile, model: SampleApp.model)
    func inverse(_ member: String, of entity: EntityName) throws -> String? {
      let program = try #require(export.program(for: entity))
      let reference = try #require(program.references.first { $0.member == member })
      return export.inverse(of: reference, in: program, of: SampleApp.model)
    }
    #expect(try inverse("notes", of: "Owner") == "theirs")
    #expect(try inverse("tags", of: "Note") == nil)
    #expect(try inverse("theirs", of: "Note") == nil)
  }
}

@Suite struct InheritanceTests {
  private static let model = StoreModel(
    origin: .store,
    entities: [
      StoreEntity(name: "Animal", isAbstract: true, attributes: [], relationships: []),
      StoreEntity(name: "Cat", superentity: "Animal", attributes: [], relationships: []),
      StoreEntity(name: "Kitten", superentity: "Cat", attributes: [], relationships: []),
      StoreEntity(
        name: "Owner",
        attributes: [],
        relationships: [StoreRelationship(name: "pet", destination: "Animal", isToMany: false)]
      ),
    ]
  )

  private func export(_ kitten: String, _ more: String = "") throws -> CompiledExport {
    let yaml = """
      ferry-profile: 1
      app: sample
      entities:
        Cat: { identity: object-uri }
        Kitten: { identity: \(kitten) }
        Owner: { identity: object-uri }
      \(more)
      """
    return try CompiledExport(
      profile: Profile(yaml: Array(yaml.utf8), path: "sample.yaml"),
      model: Self.model
    )
  }

  @Test func `a reference to an entity leads to those that inherit from it too`() throws {
    let owner = try #require(try export("object-uri").program(for: "Owner"))
    #expect(
      owner.references == [
        RecordReference(member: "pet", targets: ["Cat", "Kitten"], isToMany: false)
      ]
    )
  }

  @Test func `an abstract entity need not be described, and is named for the rows it may have`()
    throws
  {
    #expect(try export("object-uri").undescribedAbstract == ["Animal"])
    #expect(
      try export("object-uri", "omit-entities: [Animal]").undescribedAbstract == []
    )
  }

  @Test func `entities that one reference can name share one form of identity`() throws {
    let error = try #require(throws: ProfileError.self) { try export("{ attribute: tag }") }
    #expect("\(error)".contains("“pet” leads to Cat and Kitten"))
  }
}

@Suite struct CompilingTests {
  private func faults(
    _ model: StoreModel = SampleApp.model,
    _ edit: (String) -> String = { $0 }
  ) throws -> String {
    let profile = try SampleApp.profile(edit)
    let error = try #require(throws: ProfileError.self) {
      try CompiledExport(profile: profile, model: model)
    }
    return "\(error)"
  }

  @Test func `the shipped profile fits both models of its app`() throws {
    let profile = try ShippedProfile.read()
    for hasSync in [false, true] {
      let export = try CompiledExport(
        profile: profile,
        model: ShippedProfile.model(hasSync: hasSync)
      )
      #expect(export.programs.count == 5)
      #expect(export.unacceptedUnmapped.isEmpty)
      #expect(export.programs.allSatisfy { $0.omitted.isEmpty })
    }
  }

  @Test func `an unmapped field is reported, and an accepted one is not`() throws {
    let export = try SampleApp.export()
    #expect(export.unmapped.contains(UnmappedName(entity: "Note", member: "tags")))
    #expect(!export.unacceptedUnmapped.contains(UnmappedName(entity: "Note", member: "tags")))
    #expect(export.unacceptedUnmapped.contains(UnmappedName(entity: "Note", member: "price")))
  }

  @Test func `a relationship that is to-many on both sides is carried`() throws {
    let tags = StoreRelationship(
      name: "friends",
      destination: "Owner",
      inverse: "friendsOf",
      isToMany: true
    )
    let back = StoreRelationship(
      name: "friendsOf",
      destination: "Owner",
      inverse: "friends",
      isToMany: true
    )
    let owner = StoreEntity(
      name: "Owner",
      attributes: SampleApp.owner.attributes,
      relationships: SampleApp.owner.relationships + [tags, back]
    )
    let model = StoreModel(origin: .store, entities: [owner, SampleApp.note])
    let words = try faults(model)
    #expect(words.contains("“friends” of the record goes nowhere"))
    #expect(words.contains("“friendsOf” of the record goes nowhere"))
    #expect(!words.contains("“notes”"))
  }

  @Test(arguments: ["all", "listed"])
  func `parts of a composite that no field names are reported as left out`(carry: String) throws {
    let at = [StoreAttribute(name: "x", kind: .double), StoreAttribute(name: "y", kind: .double)]
    let place = [
      StoreAttribute(name: "town", kind: .string), StoreAttribute(name: "land", kind: .string),
      StoreAttribute(name: "seen", kind: .string, isTransient: true),
      StoreAttribute(name: "at", kind: .composite(at, isEnumeration: false)),
      StoreAttribute(name: "by", kind: .composite(at, isEnumeration: false)),
    ]
    let mood = [StoreAttribute(name: "mood", kind: .string)]
    let note = StoreEntity(
      name: "Note",
      attributes: [
        StoreAttribute(name: "mood", kind: .composite(mood, isEnumeration: true)),
        StoreAttribute(name: "photo", kind: .composite(place, isEnumeration: false)),
        StoreAttribute(name: "place", kind: .composite(place, isEnumeration: false)),
        StoreAttribute(name: "whole", kind: .composite(place, isEnumeration: false)),
      ]
    )
    let yaml = """
      ferry-profile: 1
      app: sample
      entities:
        Note:
          identity: object-uri
          carry: \(carry)
          fields:
            mood: mood
            town: place.town
            x: place.at.x
            whole: { composite: whole }
            wholeTown: whole.town
          media:
            file: { from: photo.town, folder: Pictures, category: image }
      """
    let export = try CompiledExport(
      profile: Profile(yaml: yaml, path: "sample.yaml"),
      model: StoreModel(origin: .store, entities: [note])
    )
    let program = try #require(export.program(for: "Note"))
    #expect(program.members == ["$id", "file", "mood", "town", "whole", "wholeTown", "x"])
    #expect(
      program.omitted == [
        "photo.at", "photo.by", "photo.land", "place.at.y", "place.by", "place.land",
      ]
    )
  }

  private func omitting(_ names: String) -> (String) -> String {
    {
      $0.replacing(
        "identity: { attribute: id }",
        with: "identity: { attribute: id }\n    omit: [\(names)]"
      )
      .replacing("        x: { field: place.at.x }\n", with: "")
    }
  }

  @Test func `a part of a composite that the profile omits is in no record`() throws {
    var losses: [RecordLoss] = []
    let record = try SampleApp.record(
      ["title": .text("t"), "place.town": .text("Here"), "place.at.x": .real(2)],
      losses: &losses,
      omitting("place.at.x")
    )
    #expect(record["place"] == ["town": "Here"])
  }

  @Test func `a part of a composite that the profile omits is reported as left out`() throws {
    let export = try CompiledExport(
      profile: SampleApp.profile(omitting("place.at")),
      model: SampleApp.model
    )
    #expect(try #require(export.program(for: "Note")).omitted.contains("place.at"))
  }

  @Test(arguments: [
    ("[whole.town]", ["$id", "whole"], "whole.at.x", ["whole.town"]),
    ("[whole.at.x]", ["$id", "whole"], "whole.town", ["whole.at.x"]),
    ("[whole.town, whole.at]", ["$id"], "", ["whole"]),
  ])
  func `omitted parts of a composite are not read`(
    omit: String,
    members: [String],
    read: String,
    leftOut: [String]
  ) throws {
    let at = [StoreAttribute(name: "x", kind: .double)]
    let whole = [
      StoreAttribute(name: "town", kind: .string),
      StoreAttribute(name: "at", kind: .composite(at, isEnumeration: false)),
    ]
    let note = StoreEntity(
      name: "Note",
      attributes: [StoreAttribute(name: "whole", kind: .composite(whole, isEnumeration: false))]
    )
    let yaml = """
      ferry-profile: 1
      app: sample
      entities: { Note: { omit: \(omit) } }
      """
    let export = try CompiledExport(
      profile: Profile(yaml: yaml, path: "sample.yaml"),
      model: StoreModel(origin: .store, entities: [note])
    )
    let program = try #require(export.program(for: "Note"))
    #expect(program.members == members)
    let paths = program.request.fields.compactMap { field -> String? in
      if case .attribute(let path) = field { path.joined(separator: ".") } else { nil }
    }
    #expect(paths.joined(separator: " ") == read)
    #expect(program.omitted == leftOut)
  }

  @Test(arguments: [
    ("extra.email", "“extra” is one value, of which nothing can be left out"),
    ("list.first", "“list” is one value, of which nothing can be left out"),
    ("blob.email", "“blob” is one value, of which nothing can be left out"),
    ("place.town", "“place.town” is omitted and also a field"),
    ("mood.mood", "all of “mood” is omitted, and it is also a field"),
  ])
  func `a field that cannot be left out is refused by its name`(omit: String, words: String) throws
  {
    #expect(try faults(SampleApp.model, omitting(omit)).contains(words))
  }

  @Test(arguments: [
    ("[user.profile.token]", ["user.profile"]),
    ("[user, user.profile.token]", ["user", "user.profile"]),
  ])
  func `omission inside one value is refused if its key contains a period`(
    omit: String,
    keys: [String]
  ) throws {
    let settings = StoreEntity(
      name: "Settings",
      attributes: keys.map { key in
        StoreAttribute(name: key, kind: .transformable(transformer: nil, valueClass: nil))
      }
    )
    let yaml = """
      ferry-profile: 1
      app: sample
      entities: { Settings: { omit: \(omit) } }
      """
    let error = try #require(throws: ProfileError.self) {
      try CompiledExport(
        profile: Profile(yaml: yaml, path: "sample.yaml"),
        model: StoreModel(origin: .store, entities: [settings])
      )
    }
    #expect("\(error)".contains("“user.profile” is one value, of which nothing can be left out"))
  }

  @Test func `an undescribed entity is refused`() throws {
    let extra = StoreEntity(name: "Ghost", attributes: [])
    let model = StoreModel(origin: .store, entities: SampleApp.model.entities + [extra])
    #expect(try faults(model).contains("“Ghost” is not described"))
    let profile = try SampleApp.profile { $0 + "\nomit-entities: [Ghost]\n" }
    _ = try CompiledExport(profile: profile, model: model)
  }

  @Test func `a table of a database that is called Preferences has no keys of preferences`() throws
  {
    let table = StoreEntity(
      name: "Preferences",
      attributes: [StoreAttribute(name: "access_token", kind: .string)]
    )
    let yaml = """
      ferry-profile: 1
      app: sample
      entities: { Preferences: { identity: object-uri } }
      """
    let export = try CompiledExport(
      profile: Profile(yaml: yaml, path: "sample.yaml"),
      model: StoreModel(origin: .store, entities: [table])
    )
    #expect(export.secrets.isEmpty)
    let members = export.program(for: "Preferences")?.members ?? []
    #expect(members.contains("access_token"))
  }

  @Test func `a new attribute of the model is not exported until the profile has it`() throws {
    let owner = StoreEntity(
      name: "Owner",
      attributes: SampleApp.owner.attributes + [StoreAttribute(name: "new", kind: .string)]
    )
    let model = StoreModel(origin: .store, entities: [owner, SampleApp.note])
    #expect(try faults(model).contains("“new” of the record goes nowhere"))
  }

  @Test(arguments: [
    ("later, absent: omit", "later, absent: refuse", "has no “later”"),
    ("town: place.town", "town: place", "has several parts"),
    ("owner: { reference: owner }", "owner: { references: owner }", "leads to one record"),
    ("place: { composite: place }", "place: { composite: title }", "has no parts"),
    ("identity: { attribute: id }", "identity: { attribute: count2 }", "no field holds"),
  ])
  func `a profile that does not fit is refused, with the line`(
    old: String,
    new: String,
    words: String
  ) throws {
    var line = 0
    let faults = try faults { yaml in
      let text = yaml.replacing(old, with: new)
      let above = text.firstRange(of: new).map { text[..<$0.lowerBound] } ?? ""
      line = above.count(where: \.isNewline) + 1
      return text
    }
    let fault = try #require(faults.split(separator: "\n").first { $0.contains(words) })
    #expect(fault.hasPrefix("sample.yaml:\(line): "))
  }
}
