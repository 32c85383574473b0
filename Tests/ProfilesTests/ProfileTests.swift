import JSONText
import ProfileSettings
import Profiles
import RecordMapping
import Records
import RequestBodies
import Testing

@Suite struct ProfileTests {
  @Test func `every setting of a profile is read`() throws {
    let profile = try SampleApp.profile()
    #expect(profile.app == "sample")
    #expect(profile.entities.map(\.name) == ["Owner", "Note"])
    let note = try #require(profile.entity("Note"))
    #expect(note.identity == .attribute("id"))
    #expect(note.media.first?.types == ["png": "image/png"])
    #expect(note.media.first?.mediaType(ofFileNamed: "a.b.PNG") == "image/png")
    let api = try #require(profile.api?.entity("Note"))
    #expect(api.create?.route.description == "PUT /notes/{id}")
    #expect(api.body.map(\.name) == api.body.map(\.name).sorted())
    #expect(profile.api?.settle == .seconds(60))
  }

  @Test func `the shipped profile is read without a fault`() throws {
    let profile = try ShippedProfile.read()
    #expect(profile.entities.map(\.name.text).sorted() == ShippedProfile.entities)
    #expect(profile.api?.entity("Hero")?.replay == .lookUp)
  }

  @Test(arguments: [
    ("https://a.example", true), ("postgresql://a/b", true), ("file:kept", true),
    ("file:///srv/kept", true), ("ftp://a.example", false), ("a.example", false),
  ])
  func `a destination is an address that a kind of destination opens`(
    address: String,
    isTaken: Bool
  ) throws {
    let text =
      "ferry-profile: 1\napp: a\ndestinations: { kept: { url: \"\(address)\" } }\n"
      + "entities: { Note: { identity: { attribute: id }, fields: { id: id } } }\n"
    do throws(ProfileError) {
      _ = try Profile(yaml: text, path: "a.yaml")
      #expect(isTaken)
    } catch {
      #expect(!isTaken && error.faults.first?.cure.contains("file:") == true)
    }
  }

  @Test func `comments and order do not change the digest, values do`() throws {
    let plain = try SampleApp.profile()
    let commented = try SampleApp.profile { "# words\n" + $0 }
    let turned = try SampleApp.profile {
      $0.replacing("id: id\n      title: title", with: "title: title\n      id: id")
    }
    let other = try SampleApp.profile { $0.replacing("app: sample", with: "app: other") }
    #expect(plain.digest == commented.digest)
    #expect(plain.digest == turned.digest)
    #expect(plain.digest != other.digest)
  }

  @Test func `one reading of a profile finds every fault with its line`() throws {
    let error = try #require(throws: ProfileError.self) {
      try SampleApp.profile {
        $0.replacing("identity: object-uri", with: "identity: none\n    colour: red")
          .replacing("replay: id", with: "replay: perhaps")
          .replacing("natural-key: [name]", with: "natural-key: [nome]")
      }
    }
    #expect(error.faults.count == 4)
    #expect(error.faults.contains { $0.cause.contains("colour") && $0.line == 6 })
    #expect(error.faults.contains { $0.pointer == "/entities/Owner/identity" })
    #expect(error.faults.contains { $0.cure.contains("look-up") })
    #expect(error.faults.contains { $0.cause.contains("nome") })
    #expect(error.faults.allSatisfy { $0.file == "sample.yaml" && $0.line != nil })
  }

  @Test func `a misspelt “entities” is no fault of each name that depends on it`() throws {
    let error = try #require(throws: ProfileError.self) {
      try SampleApp.profile { $0.replacing("\nentities:\n  Owner", with: "\nentitees:\n  Owner") }
    }
    #expect(error.faults.count == 2, "\(error.faults)")
    #expect(error.faults.contains { $0.cause == "“entities” is missing" })
    #expect(error.faults.contains { $0.cure == "write “entities”, or remove it" })
  }

  @Test(arguments: [
    ("app: sample", "app: Sample/x", "part of a file's name"),
    ("ferry-profile: 1", "ferry-profile: 2", "format 2"),
    ("ferry-profile: 1", "app: twice", "twice"),
    ("ferry-profile: 1", "ferry-profile: 1\n1: one\n\"1\": two", "twice"),
    ("omit: [secret]", "omit: [secret", "not YAML"),
    ("omit: [secret]", "omit: [&secret secret, *secret]", "a YAML alias"),
    ("app: sample", "app: !env sample", "“!env”"),
    ("app: sample", "!!int app: other\napp: sample", "“!!int”"),
    ("omit: [secret]", "omit: !!set [secret]", "“!!set”"),
    ("api:\n", "---\napi:\n", "a second document"),
    ("app: sample", "app: sample # one\u{2028}# two", "U+2028"),
    ("PUT /notes/{id}", "PUT /notes/{name}", "{name}"),
    ("PUT /notes/{id}", "PUSH /notes", "is not a route"),
    ("PATCH /notes/{id}", "PATCH /notes", "PATCH /notes names no record"),
    ("update: {", "delete: { request: DELETE /notes }\n      update: {", "names no record"),
    ("update: {", "read: { request: GET /notes }\n      update: {", "names no record"),
    ("unmapped: [id, tags,", "unmapped: [tags,", "goes nowhere"),
    (
      "media:\n    enabled: true", "forbidden: [POST /owners]\n  media:\n    enabled: true",
      "never be called"
    ),
    (
      "media:\n    enabled: true",
      "headers: { Prefer: \"return=representation,resolution=merge-duplicates\" }\n"
        + "  media:\n    enabled: true",
      "overwrites the record"
    ),
    (
      "identity: object-uri", "schema: ../x.json\n    identity: object-uri",
      "not a name of a file beside the profile"
    ),
    ("folder: Pictures", "folder: ../x", "out of the container"),
    ("PNG: image/png", "PNG: pngimage", "“pngimage” is not a media type; write it like image/png"),
    ("PNG: image/png", "PNG: imagee/png", "write it like image/png"),
    ("PNG: image/png", ".PNG: image/png", "write what follows the last dot"),
    ("absent: omit ", "absent: omitt ", "write “omit”, or use one of: refuse, omit, \"null\""),
    ("absent: \"null\"", "absent: null", "use one of: refuse, omit, \"null\""),
    ("replay: id", "replay: key", "no header carries the idempotency key"),
    ("PUT /notes/{id}", "POST /notes", "no place for an identity"),
    (
      "\"PUT /notes/{id}\", if-none-match: true",
      "POST /batch, batch: { items: items, local-id: local, created: made, failed: failed }",
      "no place for an identity"
    ),
    ("photo: { media: photo, on: complete }", "photo: { media: picture }", "is not a media file"),
    ("accept-unmapped: [Note.tags]", "accept-unmapped: [Nota.tags]", "names no entity"),
  ])
  func `an invalid setting is named`(old: String, new: String, words: String) throws {
    let error = try #require(throws: ProfileError.self) {
      try SampleApp.profile { $0.replacing(old, with: new) }
    }
    #expect("\(error)".contains(words))
  }

  @Test func `a misspelt section has two faults, of which one has the name that is meant`() throws {
    let error = try #require(throws: ProfileError.self) {
      try SampleApp.profile {
        $0.replacing("app: sample\nentities:", with: "app: sample\nentites:")
      }
    }
    #expect(
      error.faults.map(\.cause) == [
        "“entities” is missing", "“entites” is not a setting of this section",
      ]
    )
    #expect(error.faults.last?.cure == "write “entities”, or remove it")
  }

  @Test func `a byte order mark before a profile is ignored`() throws {
    let (marked, plain) = (try SampleApp.profile { "\u{FEFF}" + $0 }, try SampleApp.profile())
    #expect(marked.digest == plain.digest)
  }

  @Test func `line numbers count only line ends that editors show`() throws {
    let error = try #require(throws: ProfileError.self) {
      try SampleApp.profile { "# one\r\n# two\u{85}\n" + $0 }
    }
    #expect(error.faults.map(\.line) == [2])
  }

  @Test(arguments: [
    ("default: 3", "default: !!str 3", "default: \"3\""),
    ("default: 3", "default: ! 3", "default: \"3\""),
    ("unless: false", "unless: False", "unless: false"),
    ("unless: false", "unless: TRUE", "unless: true"),
    ("default: 3", "default: NULL", "default: null"),
  ])
  func `a value has the type that YAML's core schema gives it`(
    old: String,
    new: String,
    same: String
  )
    throws
  {
    let profile = try SampleApp.profile { $0.replacing(old, with: new) }
    let meant = try SampleApp.profile { $0.replacing(old, with: same) }
    #expect(profile.digest == meant.digest)
  }

  @Test(arguments: [
    (
      "replay: id\n      create: { request: \"PUT /notes/{id}\",",
      "replay: key\n      create: { request: POST /notes, key-header: Key,"
    ),
    ("\"PUT /notes/{id}\", if-none-match: true", "POST /notes, batch: { rows: rows }"),
    (
      "\"PUT /notes/{id}\", if-none-match: true",
      "POST /batch, batch: { items: items, local-id: id, created: made, failed: failed }"
    ),
  ])
  func `a request that carries a key or an identity may be repeated`(old: String, new: String)
    throws
  {
    let profile = try SampleApp.profile {
      #expect($0.contains(old))
      return $0.replacing(old, with: new)
    }
    #expect(profile.api?.entity("Note") != nil)
  }

  @Test func `a record that names its own kind is sent once all records are there, and not before`()
    throws
  {
    func export(_ rule: String) throws -> CompiledExport {
      try CompiledExport(
        profile: SampleApp.profile {
          $0.replacing(
            "        place: place\n",
            with: "        place: place\n        links: \(rule)\n"
          )
          .replacing("unmapped: [id, tags,", with: "unmapped: [id,")
        },
        model: SampleApp.model
      )
    }
    let late = try export("{ reference: tags, on: complete }")
    #expect(late.profile.api?.entity("Note")?.deferredReferences == ["links"])
    let error = try #require(throws: ProfileError.self) { try export("{ reference: tags }") }
    #expect("\(error)".contains("Note is not sent before Note"))
    #expect("\(error)".contains("write “on: complete”"))
  }

  private static let ticket = "ticket: { request: POST /upload, body: { name: name } }"
  private static let bucket = """
    bucket: { endpoint: "https://s3.example.com", name: media, access-key: a, secret-key: b }
      credentials: [a, b]
    """

  @Test func `files may go into a bucket`() throws {
    let profile = try SampleApp.profile { $0.replacing(Self.ticket, with: Self.bucket) }
    guard case .bucket(let bucket) = profile.api?.media?.way else {
      Issue.record("the profile has no bucket")
      return
    }
    #expect(bucket.region == "auto")
    #expect(bucket.partSize == 16 << 20)
    #expect(bucket.key(category: "image", account: "a/b", sha256: "12") == "image/a%2Fb/12")
  }

  @Test(arguments: [
    ("name: media", "name: media, key: 'files/{category}'", "no {sha256}"),
    ("name: media", "name: media, key: '{name}/{sha256}'", "neither {category}"),
    ("name: media", "name: media, address: 'https://x'", "does not have {key}"),
    ("credentials: [a, b]", "credentials: [a]", "is not a credential"),
    ("bucket:", "ticket: { request: POST /upload }\n    bucket:", "ticket"),
  ])
  func `a fault of a bucket is named`(old: String, new: String, words: String) throws {
    let error = try #require(throws: ProfileError.self) {
      try SampleApp.profile {
        $0.replacing(Self.ticket, with: Self.bucket.replacing(old, with: new))
      }
    }
    #expect("\(error)".contains(words), "\(error)")
  }

  @Test func `text that looks like a switch stays text`() throws {
    let profile = try SampleApp.profile { $0.replacing("app: sample", with: "app: on") }
    #expect(profile.app == "on")
  }
}
