import JSONText
import ProfileSettings
import Profiles
import RecordMapping
import Records

/// A small app with everything a profile can say: its profile, its model, its rows.
enum SampleApp {
  static let yaml = """
    ferry-profile: 1
    app: sample
    entities:
      Owner:
        identity: object-uri
        fields:
          name: name
        omit: [secret]
      Note:
        identity: { attribute: id }
        fields:
          id: id
          title: title
          owner: { reference: owner }
          tags: { references: tags }
          mood: mood
          place: { composite: place }
          town: place.town
          extra: { attribute: extra, as: json }
          later: { attribute: later, absent: omit }
          never: { attribute: never, absent: "null" }
        media:
          photo: { from: photo, folder: Pictures, category: image, types: { PNG: image/png } }
    accept-unmapped: [Note.tags]
    api:
      media:
        enabled: true
        ticket: { request: POST /upload, body: { name: name } }
      entities:
        Owner:
          replay: look-up
          list: { request: GET /owners, items: owners }
          create: { request: POST /owners }
          body: { name: name }
          natural-key: [name]
        Note:
          replay: id
          create: { request: "PUT /notes/{id}", if-none-match: true }
          update: { request: "PATCH /notes/{id}", if-match: true }
          body:
            title: { field: title, longest: 5, when-longer: cut }
            ownerId: { reference: owner }
            labels: { list: [mood, town], unique: true, case: lower }
            mood: { field: mood, map: { Good: 1, Bad: 2 } }
            count: { field: count, default: 3 }
            when: when
            star: { field: flag, on: complete, unless: false }
            photo: { media: photo, on: complete }
            fixed: { field: real, on: once }
            place: place
            x: { field: place.at.x }
          compare: { labels: set, when: instant, photo: address }
          natural-key: [title, when]
          unmapped: [id, tags, extra, later, never, price, blob, list, owner2]
    """

  static func profile(_ edit: (String) -> String = { $0 }) throws(ProfileError) -> Profile {
    try Profile(yaml: edit(yaml), path: "sample.yaml")
  }

  static let owner = StoreEntity(
    name: "Owner",
    attributes: [
      StoreAttribute(name: "name", kind: .string), StoreAttribute(name: "secret", kind: .string),
    ],
    relationships: [
      StoreRelationship(name: "notes", destination: "Note", inverse: "owner", isToMany: true)
    ]
  )

  static let note = StoreEntity(
    name: "Note",
    attributes: [
      StoreAttribute(name: "id", kind: .uuid),
      StoreAttribute(name: "title", kind: .string, isOptional: false),
      StoreAttribute(
        name: "mood",
        kind: .composite([StoreAttribute(name: "mood", kind: .string)], isEnumeration: true)
      ),
      StoreAttribute(
        name: "place",
        kind: .composite(
          [
            StoreAttribute(name: "town", kind: .string),
            StoreAttribute(
              name: "at",
              kind: .composite([StoreAttribute(name: "x", kind: .double)], isEnumeration: false)
            ),
          ],
          isEnumeration: false
        )
      ),
      StoreAttribute(name: "extra", kind: .binary),
      StoreAttribute(name: "photo", kind: .string),
      StoreAttribute(name: "count", kind: .integer64),
      StoreAttribute(name: "real", kind: .double),
      StoreAttribute(name: "flag", kind: .boolean),
      StoreAttribute(name: "when", kind: .date),
      StoreAttribute(name: "price", kind: .decimal),
      StoreAttribute(name: "blob", kind: .binary),
      StoreAttribute(
        name: "list",
        kind: .transformable(transformer: nil, valueClass: "Array<String>")
      ),
      StoreAttribute(name: "passing", kind: .string, isTransient: true),
    ],
    relationships: [
      StoreRelationship(name: "owner", destination: "Owner", inverse: "notes"),
      StoreRelationship(name: "owner2", destination: "Owner"),
      StoreRelationship(name: "tags", destination: "Note", isToMany: true),
    ]
  )

  static let model = StoreModel(origin: .store, entities: [owner, note])

  static func export() throws -> CompiledExport {
    try CompiledExport(profile: profile(), model: model)
  }

  /// A row of notes with these values, by the text of their fields; all others are null.
  static func row(_ program: RecordProgram, _ values: [String: TestRow.Value]) -> TestRow {
    TestRow(program.request.fields.map { values[name(of: $0)] ?? .null })
  }

  private static func name(of field: FieldRequest) -> String {
    switch field {
    case .attribute(let path): path.joined(separator: ".")
    case .objectURI: "$id"
    case .reference(let name, _), .references(let name, _): name
    case .joined(let join, _): join.name
    }
  }

  static let noteID: [UInt8] = Array(0..<16)

  /// The record that a row of notes becomes.
  static func record(
    _ values: [String: TestRow.Value],
    losses: inout [RecordLoss],
    _ edit: (String) -> String = { $0 }
  ) throws -> JSONValue {
    let export = try CompiledExport(profile: profile(edit), model: model)
    guard let program = export.program(for: "Note") else { throw Missing() }
    let row = row(program, ["id": .blob(noteID)].merging(values) { $1 })
    let writer = RecordWriter(program) { rule, name in
      MediaValue(
        state: .present,
        name: String(decoding: name, as: UTF8.self),
        sha256: Digest(bytes: repeatElement(0xAB, count: 32)),
        size: 7
      )
    }
    var json = JSONWriter()
    try writer.write(row.row, into: &json)
    losses = writer.losses
    let value = try JSONValue(parsing: json.bytes)
    // What is written is in canonical form.
    guard value.canonicalBytes == json.bytes else { throw Missing() }
    return value
  }

  struct Missing: Error {}
}
