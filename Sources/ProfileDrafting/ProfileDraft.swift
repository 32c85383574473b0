package import JSONText
package import ProfileSettings
import Profiles
package import RecordMapping
package import Records
import SchemaDrafting
package import StoreFiles
import StoreReading
import TextCodecs

/// A profile and the schemas of its records, drafted from a store's own model and data.
///
/// The draft exports the store without loss, and what it exports obeys its schemas. A person adds
/// the destination, and removes what is not to be sent. The same store gives the same bytes.
package struct ProfileDraft {
  /// Why a draft could not be made.
  package enum Failure: Error {
    case store(StoreError)
    /// The draft itself is at fault; that never happens to a sound store.
    case profile(ProfileError)
    case record(EntityName, RecordFault)
    case json(EntityName, JSONError)
  }

  /// The profile as YAML.
  package let yaml: String
  /// The schemas, by the names of their files.
  package let schemas: [(name: String, bytes: [UInt8])]
  /// The schema of each entity's records, referred entities first.
  package let records: [(entity: EntityName, schema: JSONValue)]
  /// The attribute that each entity's records are known by; an entity without one is in ``addressed``.
  package let identities: [EntityName: String]
  /// Whether a schema lists texts or names that only rows have, under ``seenWord``.
  package let listsSeen: Bool
  /// The entities whose records are known by their objects' addresses.
  package let addressed: [EntityName]
  /// What a person should know of the identities that were chosen.
  package let findings: [Finding]
  /// The note of a schema under which they are.
  package static var seenWord: String { ValueSketch.seenWord }

  /// What a draft is made from.
  package enum Basis: Hashable, Sendable {
    /// The model alone: records are known by their objects' addresses, and the schemas say what
    /// the model says. No row is read.
    case model
    /// The rows as well: every one is read, and some of their values once more by themselves.
    case rows
  }

  /// Drafts from a store that was opened, with an `api` where a destination is given.
  ///
  /// Of files in the folder `home` that rows name, a draft has the rule by which they are taken along, unless
  /// the destination takes none.
  package init(
    of store: any Store,
    beside home: String? = nil,
    app: String,
    from basis: Basis = .rows,
    to destination: DraftedDestination? = nil
  ) throws(Failure) {
    let found = try Self.entities(of: store)
    let identities = basis == .rows ? try Self.identities(of: found, in: store) : [:]
    let named = try Self.reading { () throws(StoreError) in
      try NamedRecords(of: found, identities, in: store).targets
    }
    let joins = try Self.reading { () throws(StoreError) -> JoinTables? in
      guard let destination else { return nil }
      return try JoinTables(of: found, identities, named, in: store, to: destination)
    }
    let takesFiles = destination?.preset.capabilities.contains(.files) ?? true
    let files = try Self.reading {
      () throws(StoreError) -> [EntityName: [String: NamedFiles.Place]] in
      guard let home, basis == .rows, takesFiles else { return [:] }
      let places = try NamedFiles(of: found, in: store, besides: identities, named, beside: home)
        .places
      return destination?.fitting(places, of: found.map(\.name)) ?? places
    }
    let entities = Self.ordered(found, named, joins, in: store.model)
    let keyless = basis == .rows ? try Self.keyless(found, identities, in: store) : []
    let readings = basis == .rows ? try Self.readings(of: entities, in: store) : [:]
    let yaml = Self.yaml(
      entities,
      identities,
      readings,
      named,
      joins,
      files,
      keyless: keyless,
      counts: basis == .rows ? try Self.counts(of: entities, in: store) : nil,
      store: store,
      app: app,
      destination: destination
    )
    let export: CompiledExport
    do throws(ProfileError) {
      let profile = try Profile(yaml: Array(yaml.utf8), path: "draft")
      export = try CompiledExport(profile: profile, model: store.model)
    } catch {
      throw .profile(error)
    }
    var schemas: [(name: String, bytes: [UInt8])] = []
    var records: [(entity: EntityName, schema: JSONValue)] = []
    var listsSeen = false
    for program in export.programs {
      guard let entity = store.model.entity(named: program.request.entity) else { continue }
      let draft = RecordSchemaDraft(
        app: app,
        entity: entity,
        model: store.model,
        keyMember: program.keyMember,
        readings: readings[entity.name] ?? [:],
        named: named[entity.name] ?? [:],
        lists: joins?.lists(of: entity.name) ?? [],
        files: Set((files[entity.name] ?? [:]).keys),
        sketch: basis == .rows ? try Self.sketch(program, of: store) : nil
      )
      let name = RecordSchemaDraft.name(app: app, entity: program.entity)
      let document = draft.document(members: program.members)
      listsSeen = listsSeen || Self.hasSeen(document)
      schemas.append((name, Array((document.prettyText + "\n").utf8)))
      records.append((program.entity, document))
    }
    self.yaml =
      yaml
      + (destination?.text(
        entities.filter { joins?.list(ofRows: $0.name) == nil },
        identities,
        named.merging(joins?.targets ?? [:]) { $0.merging($1) { own, _ in own } },
        hasFiles: !files.isEmpty,
        of: yaml,
        schemas
      ) ?? "")
    self.schemas = schemas
    self.records = records
    self.identities = identities
    self.listsSeen = listsSeen
    addressed = entities.map(\.name).filter { identities[$0] == nil }
    findings =
      entities.compactMap { Self.chanceFinding(of: $0, identities[$0.name], in: store) }
      + keyless.sorted().map { KeylessRows.finding(of: $0) }
  }

  private static func hasSeen(_ schema: JSONValue) -> Bool {
    switch schema {
    case .object(let object):
      object[seenWord]?.array != nil || object.members.contains { hasSeen($0.value) }
    case .array(let elements): elements.contains { hasSeen($0) }
    case .null, .boolean, .number, .string: false
    }
  }

  /// The entities of which several rows lack the store's own key.
  private static func keyless(
    _ entities: [StoreEntity],
    _ identities: [EntityName: String],
    in store: any Store
  ) throws(Failure) -> Set<EntityName> {
    try reading { () throws(StoreError) in
      var keyless: Set<EntityName> = []
      for entity in entities where identities[entity.name] == nil && !entity.keysMayChange {
        if try KeylessRows(store: store).areIn(entity) { keyless.insert(entity.name) }
      }
      return keyless
    }
  }

  /// The entities that have records or could have them.
  private static func entities(of store: any Store) throws(Failure) -> [StoreEntity] {
    var entities: [StoreEntity] = []
    for entity in store.model.entities {
      let hasRows = try reading { () throws(StoreError) in
        try store.rowCount(of: entity.name) > 0
      }
      if !entity.isAbstract || hasRows { entities.append(entity) }
    }
    return entities
  }

  /// Referred entities first.
  private static func ordered(
    _ entities: [StoreEntity],
    _ named: [EntityName: [String: EntityName]],
    _ joins: JoinTables?,
    in model: StoreModel
  ) -> [StoreEntity] {
    var left = entities
    var ordered: [StoreEntity] = []
    while !left.isEmpty {
      let waiting = Set(left.map(\.name))
      let free = left.filter { entity in
        let referred =
          entity.relationships.filter { !$0.isToMany }.map(\.destination)
          + (named[entity.name] ?? [:]).values
          + (joins?.lists(of: entity.name) ?? []).map(\.target)
        return !referred.flatMap { model.tree(of: $0) }
          .contains { $0 != entity.name && waiting.contains($0) }
      }
      // In a circle another device has to begin.
      let next = free.isEmpty ? [left[0]] : free
      ordered += next
      let taken = Set(next.map(\.name))
      left.removeAll { taken.contains($0.name) }
    }
    return ordered
  }

  private static func identities(
    of entities: [StoreEntity],
    in store: any Store
  ) throws(Failure) -> [EntityName: String] {
    var roots: [EntityName: String?] = [:]
    var chosen: [EntityName: String] = [:]
    for entity in entities {
      var root = entity
      for _ in store.model.entities {
        guard let above = root.superentity.flatMap({ store.model.entity(named: $0) }) else { break }
        root = above
      }
      if roots[root.name] == nil {
        let top = root
        roots[root.name] = try reading { () throws(StoreError) in
          try IdentityChoice(store: store).attribute(of: top)
        }
      }
      if let attribute = roots[root.name] ?? nil {
        chosen[entity.name] = attribute
      } else if let files = store as? FileStore {
        throw .store(
          try reading { () throws(StoreError) in try files.missingIdentity(of: entity.name) }
        )
      }
    }
    return chosen
  }

  /// How many rows each entity has.
  private static func counts(
    of entities: [StoreEntity],
    in store: any Store
  ) throws(Failure) -> [EntityName: Int] {
    var counts: [EntityName: Int] = [:]
    for entity in entities {
      counts[entity.name] = try reading { () throws(StoreError) in
        try store.rowCount(of: entity.name)
      }
    }
    return counts
  }

  private static func readings(
    of entities: [StoreEntity],
    in store: any Store
  ) throws(Failure) -> [EntityName: [String: FieldProfile.Reading]] {
    var readings: [EntityName: [String: FieldProfile.Reading]] = [:]
    for entity in entities {
      readings[entity.name] = try reading { () throws(StoreError) in
        try ContainedValues(of: entity, in: store).readings
      }
    }
    return readings
  }

  private static func sketch(
    _ program: RecordProgram,
    of store: any Store
  ) throws(Failure) -> ValueSketch {
    let records = RecordWriter(program) { _, name throws(RecordFault) in
      // What becomes of a file has the same form, whatever that is.
      MediaValue(state: .missing, name: String(decoding: name, as: UTF8.self))
    }
    var sketch = DocumentSketch()
    let document = JSONDocument()
    var line = JSONWriter()
    let reader = try reading { () throws(StoreError) in try store.rows(program.request) }
    while try reading({ () throws(StoreError) in try reader.next() }) {
      line.reset()
      do throws(RecordFault) {
        try records.write(reader.row, into: &line)
      } catch {
        // The export keeps that row with its reason.
        if error.code == RecordFault.tooLargeCode { continue }
        if let failure = reader.row.failure as? StoreError { throw .store(failure) }
        throw .record(program.entity, error)
      }
      do throws(JSONError) {
        // Of a large value its beginning says as much as all of it.
        if records.hasLargeTexts,
          let bytes = records.bytes(of: line, valuesUpTo: ValueSketch.longestText)
        {
          try document.parse(keeping: bytes)
          sketch.add(document)
        } else {
          try line.withBytes { (bytes) throws(JSONError) in
            try document.parse(bytes)
            sketch.add(document)
          }
        }
      } catch {
        throw .json(program.entity, error)
      }
      document.forget()
    }
    return sketch.root
  }

  private static func reading<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(Failure) -> Value {
    do throws(StoreError) { return try body() } catch { throw .store(error) }
  }
}

// MARK: - YAML

extension ProfileDraft {
  private static func yaml(
    _ entities: [StoreEntity],
    _ identities: [EntityName: String],
    _ readings: [EntityName: [String: FieldProfile.Reading]],
    _ named: [EntityName: [String: EntityName]],
    _ joins: JoinTables?,
    _ files: [EntityName: [String: NamedFiles.Place]],
    keyless: Set<EntityName>,
    counts: [EntityName: Int]?,
    store: any Store,
    app: String,
    destination: DraftedDestination?
  ) -> String {
    let state =
      keyless.isEmpty
      ? "It exports and validates as it is." : "It exports, and does not validate as it is."
    let begin = [
      "# yaml-language-server: $schema=\(ProfileSchema.name)",
      "# A draft of “ferry init”. \(state)",
    ]
    let roles = [
      "# Before it sends, give an entity that is not the user's own a role: derived (made from other",
      "# records), or server (the server's own).",
    ]
    let head =
      if let destination, destination.schema != nil {
        begin + roles
      } else if destination != nil {
        begin + ["# Compare each unchecked field with the backend."] + roles
      } else {
        begin + [
          "# To send records, draft it again with --preset NAME for a backend of “ferry preset list”, or",
          "# add “api” (“Your app in 30 minutes” in the documentation).",
        ] + roles
      }
    var lines =
      head + [
        "ferry-profile: 1", "app: \(quoted(app))", "entities:",
      ]
    for entity in entities {
      lines.append("  \(quoted(entity.name.text)):")
      if let count = counts?[entity.name] {
        lines += reason(of: entity, identities[entity.name], rowCount: count)
      }
      lines.append(
        "    schema: \(quoted(RecordSchemaDraft.name(app: app, entity: entity.name)))"
      )
      if store.identity.kind == .files {
        lines.append(
          "    # A file declares no kinds: these, and the identity, are inferred from its rows."
        )
      }
      var fields = (readings[entity.name] ?? [:]).sorted { $0.key < $1.key }.map {
        "\(quoted($0.key)): { attribute: \(quoted($0.key)), as: \($0.value.rawValue) }"
      }
      for (attribute, target) in (named[entity.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
        fields += [
          "# each value is the identity of a record of \(target)".plain,
          "\(quoted(attribute)): { attribute: \(quoted(attribute)), names: \(quoted(target.text)) }",
        ]
      }
      for list in joins?.lists(of: entity.name) ?? [] {
        fields += [
          "# what the rows of \(list.table) join it to".plain,
          "\(quoted(list.member)): { references: \(quoted("\(list.table).\(list.other)")) }",
        ]
      }
      if let list = joins?.list(ofRows: entity.name) {
        lines += [
          "    # each row is in “\(list.member)” of \(list.owner)".plain, "    role: derived",
        ]
      }
      if let attribute = identities[entity.name] {
        if isChance(attribute, of: entity, in: store) { lines += chance(in: entity) }
        lines.append("    identity: { attribute: \(quoted(attribute)) }")
      } else {
        if entity.keysMayChange {
          lines += [
            "    # No primary key: rows are known by their numbers, which may change. Where an attribute",
            "    # distinguishes them, name it: identity: { attribute: … }",
          ]
        }
        if keyless.contains(entity.name) {
          lines.append("    # Rows have no value in the primary key, so that they are one record.")
        }
        lines.append("    identity: object-uri")
        let names = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
        if names.contains(EntityProfile.addressMember) {
          // The record has its address there, so what the store has of that name gets another.
          var free = "stored_id"
          while names.contains(free) { free += "_" }
          fields.append("\(quoted(free)): \(quoted(EntityProfile.addressMember))")
        }
      }
      if !fields.isEmpty { lines += ["    fields:"] + fields.map { "      " + $0 } }
      let media = (files[entity.name] ?? [:]).sorted { $0.key < $1.key }
      if !media.isEmpty { lines.append("    media:") }
      for (attribute, place) in media {
        lines += [
          "      # \(place.found) of \(place.asked) names are files beside the store".plain,
          "      " + place.rule(of: attribute),
        ]
      }
      lines += entity.attributes.filter { !$0.isTransient }.map {
        "    # \($0.name): \($0.kind.words)\($0.isOptional ? "" : ", required")".plain
      }
      lines += entity.relationships.map {
        "    # \($0.name): \($0.isToMany ? "many of" : "one of") \($0.destination)".plain
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// How many rows an entity has, and why they are known as the draft says.
  private static func reason(
    of entity: StoreEntity,
    _ identity: String?,
    rowCount: Int
  ) -> [String] {
    guard rowCount > 0 else { return ["    # no rows"] }
    let rows = "    # \(rowCount) \(rowCount == 1 ? "row" : "rows")"
    if let identity { return ["\(rows), known by \(identity): no two rows have the same".plain] }
    guard !entity.keysMayChange else { return [rows] }
    return [
      "\(rows), known by the store's own keys: no attribute that is unique, or is called like an",
      "    # identity, has another value in each row",
    ]
  }

  /// Whether an attribute of a file is the identity only because it differs in all rows.
  private static func isChance(
    _ identity: String,
    of entity: StoreEntity,
    in store: any Store
  ) -> Bool {
    store.identity.kind == .files && !IdentityChoice.isUsual(identity, of: entity)
  }

  private static func chanceFinding(
    of entity: StoreEntity,
    _ identity: String?,
    in store: any Store
  ) -> Finding? {
    guard let identity, isChance(identity, of: entity, in: store) else { return nil }
    let usual = entity.attributes.map(\.name).filter { IdentityChoice.isUsual($0, of: entity) }
    let reason =
      usual.isEmpty
      ? "no attribute is called like an identity"
      : usual.map { "“\($0)”" }.joined(separator: ", ")
        + " cannot be the identity: rows lack it or have the same, or it is no text and no whole number"
    return Finding(
      code: "identity.by-chance",
      severity: .warning,
      entity: entity.name,
      cause: "\(reason); the draft takes “\(identity)”, which differs in all rows of today",
      cure:
        "correct the rows in a copy of the file, or name the attribute that always differs in the profile, "
        + "with “identity: { attribute: … }”"
    )
  }

  /// Why an attribute of a file is the identity that is not called like one.
  private static func chance(in entity: StoreEntity) -> [String] {
    let usual = entity.attributes.filter { IdentityChoice.isUsual($0.name, of: entity) }.map {
      IdentityChoice.canIdentify($0.kind)
        ? "    # “\($0.name)” is not the identity: rows lack it, or have the same.".plain
        : "    # “\($0.name)” is not the identity: it is \($0.kind.words).".plain
    }
    return (usual.isEmpty ? ["    # No attribute is called like an identity."] : usual) + [
      "    # This one differs in all rows of today; where a later row may repeat it, name another."
    ]
  }

  /// The path to a member of a record, whose name may have dots.
  static func quoted(path member: String) -> String {
    quoted(MemberPath(names: [member]).description)
  }

  /// A text that YAML reads back as it is: a JSON string, with what YAML does not print escaped too.
  static func quoted(_ text: String) -> String {
    var quoted = ""
    for scalar in JSONValue.string(text).canonicalText.unicodeScalars {
      if scalar.isPrintable {
        quoted.unicodeScalars.append(scalar)
      } else {
        quoted += "\\U" + Hexadecimal.text(scalar.value, .upper)
      }
    }
    return quoted
  }
}

extension String {
  /// On one line, whatever the name held.
  var plain: String {
    var text = ""
    text.unicodeScalars.append(contentsOf: unicodeScalars.map { $0.isPrintable ? $0 : " " })
    return text
  }
}

extension Unicode.Scalar {
  /// Whether YAML takes it as it is, on one line.
  ///
  /// https://yaml.org/spec/1.2.2/#51-character-set
  fileprivate var isPrintable: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: false
    default: true
    }
  }
}
