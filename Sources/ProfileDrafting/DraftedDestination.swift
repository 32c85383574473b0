package import DestinationModel
import JSONText
import ProfileSettings
package import Profiles
import Records
import RequestBodies
import StoreReading

/// Where the records of a drafted profile go: a preset, with an address and the server's own schema where
/// those are known.
package struct DraftedDestination: Hashable, Sendable {
  package let preset: PresetSummary
  package let url: String?
  /// What the server says of its collections, or a file does; `nil` where neither was asked.
  package let schema: RemoteSchema?

  package init(preset: PresetSummary, url: String?, schema: RemoteSchema? = nil) {
    self.preset = preset
    self.url = url
    self.schema = schema
  }

  /// The sections `destinations` and `api`: as the server's schema says, or by convention alone.
  ///
  /// What would be sent is listed below each entity. Where the profile is not whole yet, its faults are
  /// listed at the end.
  func text(
    _ entities: [StoreEntity],
    _ identities: [EntityName: String],
    _ named: [EntityName: [String: EntityName]],
    hasFiles: Bool,
    of profile: String,
    _ schemas: [(name: String, bytes: [UInt8])]
  ) -> String {
    let collections = schema.map {
      SchemaMatch.collections(of: entities.map(\.name), in: $0, accounts: accounts)
    }
    let sent = entities.filter { collections.map { $0.keys }?.contains($0.name) ?? true }
    let blocks = sent.map { entity in
      Block(
        name: entity.name,
        lines: place(of: entity, collections?[entity.name]),
        body: storedNames(of: entity, identities[entity.name]),
        unmapped: columns(of: entity, identities[entity.name])
      )
    }
    let missing = entities.filter { entity in !sent.contains { $0.name == entity.name } }
    let bare = text(blocks, missing, hasFiles)
    func read(_ text: String) throws(ProfileError) -> Profile {
      try Profile(yaml: profile + text, path: "profile.yaml") { name in
        (schemas + [preset.file].compactMap(\.self)).first { $0.name == name }?.bytes
      }
    }
    var drafted = bare
    do throws(ProfileError) {
      let api = try read(bare).api
      let form = api.flatMap { takenForm($0, collections ?? [:]) }
      let clientID = api?.clientID ?? .asIs
      let whole = zip(sent, blocks).map { entity, block in
        guard let api = api?.entity(entity.name) else { return block }
        guard let collections, let collection = collections[entity.name] else {
          return block.noting(Self.fields(api, block.unmapped), carried: block.unmapped)
        }
        let targets = (named[entity.name] ?? [:]).filter { collections[$0.value] != nil }
        let members = Self.members(of: entity, targets, api)
        let fitted = block.fitted(
          to: SchemaMatch(collection, members, collections, accounts: accounts),
          Self.columns(of: entity),
          unmapped: api.unmapped,
          statesKinds: preset.api.values != nil
        )
        let notes =
          fitted.notes + misplaced(collection, api)
          + refused(collection, api, form ?? clientID)
        return identified(fitted.noting(notes, carried: fitted.carried), collection)
      }
      drafted = text(whole, missing, hasFiles, form)
      _ = try read(drafted)
      return drafted
    } catch {
      return drafted + error.faults.map { "# To do: \($0.cause); \($0.cure)".plain + "\n" }.joined()
    }
  }

  /// The files for which the server has a field that takes a file; all of them where it was not asked.
  func fitting(
    _ files: [EntityName: [String: NamedFiles.Place]],
    of entities: [EntityName]
  ) -> [EntityName: [String: NamedFiles.Place]] {
    guard let schema else { return files }
    let collections = SchemaMatch.collections(of: entities, in: schema, accounts: accounts)
    return files.reduce(into: [:]) { fitting, entity in
      let fields = collections[entity.key]?.fields.filter { $0.kind == .file } ?? []
      let names = Set(fields.map { SchemaMatch.key($0.name) })
      let places = entity.value.filter { names.contains(SchemaMatch.key($0.key)) }
      if !places.isEmpty { fitting[entity.key] = places }
    }
  }

  /// Where lists of references go: as the server's schema says, or by convention.
  ///
  /// By convention alone a backend has no collection for a join table.
  func listPlaces(of entities: [EntityName]) -> ListPlaces {
    guard let schema else {
      return ListPlaces(fields: preset.takesReferenceLists ? nil : [:], sent: [])
    }
    let collections = SchemaMatch.collections(of: entities, in: schema, accounts: accounts)
    let owners = Dictionary(
      collections.map { ($0.value.name, $0.key) },
      uniquingKeysWith: { first, _ in first }
    )
    let fields = collections.mapValues { collection in
      collection.fields.compactMap { field -> (name: String, target: EntityName)? in
        guard case .relation(let to, isMany: true) = field.kind else { return nil }
        return owners[to].map { (field.name, $0) }
      }
    }
    return ListPlaces(fields: fields, sent: Set(collections.keys))
  }

  /// The collection that one signs in with: of those that hold accounts, the one that the sign-in names.
  private var accounts: String? {
    let holding = (schema?.collections ?? []).filter(\.holdsAccounts).map(\.name)
    let words = preset.signInPath?.split(separator: "/").map(String.init) ?? []
    return holding.first(where: words.contains) ?? (holding.count == 1 ? holding[0] : nil)
  }

  /// The form of identities that the server's collections take, where they refuse the preset's own.
  private func takenForm(
    _ api: Api,
    _ collections: [EntityName: RemoteSchema.Collection]
  ) -> Api.ClientID? {
    let rules = api.entities.compactMap { collections[$0.entity]?.identityRule(of: $0) }
    let open = rules.filter { FieldRule.takenForm(by: [$0]) != nil }
    guard open.contains(where: { $0.refusal(of: api.clientID) != nil }) else { return nil }
    return FieldRule.takenForm(by: open)
  }

  /// What is to be done where the server takes no identity of a form, or does not say that it does.
  private func refused(
    _ collection: RemoteSchema.Collection,
    _ api: EntityApi,
    _ form: Api.ClientID
  ) -> [String] {
    guard let rule = collection.identityRule(of: api) else { return [] }
    let own = "write “replay: look-up” and a “natural-key”"
    if let words = rule.refusal(of: form)?.words {
      return ["      # To do: the server takes as “\(api.id)” \(words): \(own)".plain]
    }
    guard rule.form == .answered else { return [] }
    return [
      "      # To do: the server names “\(api.id)” in its answers alone: if it makes its own, \(own)"
        .plain
    ]
  }

  private func text(
    _ blocks: [Block],
    _ missing: [StoreEntity],
    _ hasFiles: Bool,
    _ form: Api.ClientID? = nil
  ) -> String {
    var lines: [String] = []
    if let url { lines += ["destinations:", "  server: { url: \(ProfileDraft.quoted(url)) }"] }
    let name = preset.file == nil ? preset.name : ProfileDraft.quoted(preset.name)
    lines += ["api:", "  preset: \(name)"]
    let open = preset.needs.filter { preset.given.texts[$0] == nil }
    let values =
      preset.given.lines(needs: preset.needs).map { "    \($0)" }
      + open.map { "    \($0):   # to be given" }
    if !values.isEmpty { lines += ["  with:"] + values }
    if let form { lines.append("  \(form.setting)   # as the server takes IDs") }
    if hasFiles, !preset.keepsFilesInRecords { lines.append("  media: { enabled: true }") }
    lines.append(blocks.isEmpty ? "  entities: {}" : "  entities:")
    for block in blocks { lines += block.text }
    for entity in missing {
      let name = entity.name.usualCollection
      lines.append(
        "    # not sent: the server shows no collection for \(entity.name) (\(name))".plain
      )
    }
    for path in schema?.nestedPaths ?? [] {
      lines.append("    # not drafted: requests to \(path), below another record".plain)
    }
    let carried = blocks.flatMap { block in block.carried.map { "\(block.name).\($0)" } }
    if !carried.isEmpty {
      let names = carried.map { ProfileDraft.quoted($0) }.joined(separator: ", ")
      lines += ["# Columns whose references are sent.", "accept-unmapped: [\(names)]"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Where the records of an entity are.
  private func place(
    of entity: StoreEntity,
    _ collection: RemoteSchema.Collection?
  ) -> [String] {
    if let collection { return ["      collection: \(ProfileDraft.quoted(collection.name))"] }
    guard !preset.placesRecords else { return [] }
    return ["      collection: \(entity.name.usualCollection)".plain]
  }

  /// The block of a collection whose records several fields identify.
  private func identified(_ block: Block, _ collection: RemoteSchema.Collection) -> Block {
    guard collection.keys.count > 1 else { return block }
    var block = block
    let names = collection.keys.map { ProfileDraft.quoted($0) }.joined(separator: ", ")
    if preset.knowsCompound {
      block.lines.append("      id: [\(names)]")
    } else {
      block.notes.append(
        "      # To do: \(collection.keys.joined(separator: " and ")) together identify a record, and the preset addresses it by one field"
          .plain
      )
    }
    return block
  }

  /// That the server makes the records of a collection at another path than the profile sends them to.
  private func misplaced(_ collection: RemoteSchema.Collection, _ api: EntityApi) -> [String] {
    guard let path = collection.path, let template = api.create?.route.template else { return [] }
    let base = (url ?? "").split(separator: "/").dropFirst(2)
    let names = template.prefix { $0 != "?" }.split(separator: "/")
    let sent = (base + names).filter { !$0.hasPrefix("{") }
    guard !sent.reversed().starts(with: path.split(separator: "/").reversed()) else { return [] }
    return [
      "      # To do: the server makes these records at \(path), and the profile at \(template)"
        .plain
    ]
  }

  /// The columns of foreign keys, by their references.
  private static func columns(of entity: StoreEntity) -> [String: String] {
    Dictionary(
      entity.relationships.compactMap { reference in reference.column.map { (reference.name, $0) }
      },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The columns of foreign keys whose references are sent in fields of the columns' names.
  private func columns(of entity: StoreEntity, _ identity: String?) -> [String] {
    entity.relationships.compactMap { reference in
      reference.column.flatMap { column in
        column != identity && preset.sendsTogether(column, reference.name) ? column : nil
      }
    }
  }

  /// The members that get other names, as the destination's own ID has theirs.
  private func storedNames(
    of entity: StoreEntity,
    _ identity: String?
  ) -> [(field: String, rule: String)] {
    let columns = columns(of: entity, identity)
    return preset.fieldsOfTakenNames(
      among: Set(entity.attributes.map(\.name)).subtracting(columns),
      references: Set(entity.relationships.map(\.name)),
      identity: identity
    ).map { field, member in (field, ProfileDraft.quoted(path: member)) }
  }

  /// The fields of a request, each with where it comes from.
  private static func fields(_ api: EntityApi, _ carried: [String]) -> [String] {
    let fields = api.body.map { rule in
      let uses = rule.uses.map { $0.path.names.joined(separator: ".") }.joined(separator: ", ")
      let isReference = if case .reference = rule.source { true } else { false }
      let notes = (uses == rule.name ? [] : [uses]) + (isReference ? ["a reference"] : [])
      let note = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
      return "      # unchecked: \(rule.name)\(note)".plain
    }
    return fields
      + api.unmapped.filter { !carried.contains($0) }.map { "      # not sent: \($0)".plain }
  }

  /// What would be sent by convention, one member of the record each.
  private static func members(
    of entity: StoreEntity,
    _ named: [String: EntityName],
    _ api: EntityApi
  ) -> [SchemaMatch.Member] {
    api.body.compactMap { rule in
      guard rule.uses.count == 1, let name = rule.uses[0].path.names.first else { return nil }
      let relationship = entity.relationships.first { $0.name == name }
      let isReference = if case .reference = rule.source { true } else { false }
      let isFile =
        switch rule.source {
        case .media, .file: true
        case .field, .list, .reference, .record, .constant: false
        }
      let target = isReference ? relationship?.destination ?? named[name] : nil
      return SchemaMatch.Member(
        name: name,
        field: rule.name,
        target: target,
        isDeferred: rule.isDeferredReference,
        isIdentity: rule.name == api.id.names.last,
        isFile: isFile,
        sendsKey: isReference && target == nil,
        stored: entity.attributes.first { $0.name == name }?.kind
      )
    }
  }
}

/// The block of one entity below `api`.
private struct Block {
  let name: EntityName
  /// What it says beside its body.
  var lines: [String]
  /// The fields with names of their own, and what is written for each.
  var body: [(field: String, rule: String)]
  var notes: [String] = []
  /// The members that have no place.
  var unmapped: [String] = []
  /// The columns that are not sent because the references of them are.
  var carried: [String] = []

  var text: [String] {
    let fields = body.map { "\(ProfileDraft.quoted($0.field)): \($0.rule)" }
    let names = unmapped.map { ProfileDraft.quoted($0) }.joined(separator: ", ")
    let all =
      lines + (unmapped.isEmpty ? [] : ["      unmapped: [\(names)]"])
      + (fields.isEmpty ? [] : ["      body: { \(fields.joined(separator: ", ")) }"])
    return ["    \(ProfileDraft.quoted(name.text)):\(all.isEmpty ? " {}" : "")"] + all + notes
  }

  func noting(_ notes: [String], carried: [String]) -> Block {
    var block = self
    (block.notes, block.carried) = (notes, carried)
    return block
  }

  /// The block with the names of the server's fields, and without what the server has no field for.
  ///
  /// A destination whose values say what they are gets the kind of those that the store keeps as text.
  func fitted(
    to match: SchemaMatch,
    _ columns: [String: String],
    unmapped: [String],
    statesKinds: Bool
  ) -> Block {
    var block = Block(name: name, lines: lines, body: [])
    if let owner = match.owner { block.lines.append("      owner: \(ProfileDraft.quoted(owner))") }
    for (field, member) in match.matched {
      let writing = Self.writing(of: member, in: field)
      // A key that has a field beside the identity is by convention in neither.
      let isTwice = match.matched.contains {
        $0.member.name == member.name && $0.member.isIdentity != member.isIdentity
      }
      let isUsual =
        field.name == member.field && !isNamed(member.field) && !member.sendsKey && !isTwice
      guard !isUsual || writing != nil else { continue }
      block.body.append((field.name, Self.rule(of: member, writing)))
    }
    let moments = match.matched.filter { $0.field.kind == .moment }.map {
      ProfileDraft.quoted($0.field.name)
    }
    let settings =
      statesKinds ? [("compare", "instant"), ("types", "date")] : [("compare", "instant")]
    for (setting, value) in settings where !moments.isEmpty {
      let fields = moments.map { "\($0): \(value)" }.joined(separator: ", ")
      block.lines.append("      \(setting): { \(fields) }")
    }
    let unplaced = match.unplaced.map(\.name)
    block.unmapped = unplaced.isEmpty && self.unmapped.isEmpty ? [] : unmapped + unplaced
    block.notes = match.matched.sorted { $0.field.name < $1.field.name }.map { field, member in
      let name = field.name == member.name ? "" : " (\(member.name))"
      return "      # at the server: \(field.name)\(name)".plain
    }
    let sent = match.matched.filter { $0.member.target != nil }.map(\.member.name)
    block.carried = (unplaced + unmapped).filter(Set(sent.compactMap { columns[$0] }).contains)
    let missing = (unplaced + unmapped).filter { !block.carried.contains($0) }
    block.notes += missing.map { "      # not at the server: \($0)".plain }
    block.notes += match.unfilled.map { field in
      "      # \(field.isRequired ? "To do: required, and not filled" : "not filled"): \(field.name)"
        .plain
    }
    return block
  }

  private func isNamed(_ field: String) -> Bool { body.contains { $0.field == field } }

  private static func rule(of member: SchemaMatch.Member, _ writing: RequestFieldRule.Writing?)
    -> String
  {
    let name = ProfileDraft.quoted(member.name)
    if member.isFile { return "{ media: \(name) }" }
    guard member.target != nil else {
      let name = ProfileDraft.quoted(path: member.name)
      guard let writing else { return member.sendsKey ? "{ field: \(name) }" : name }
      return writing == .plain ? "{ field: \(name) }" : "{ field: \(name), as: \(writing.setting) }"
    }
    return "{ reference: \(name)\(member.isDeferred ? ", on: complete" : "") }"
  }

  /// How a value is written so that the field takes it, where the store holds another kind.
  private static func writing(
    of member: SchemaMatch.Member,
    in field: RemoteSchema.Field
  ) -> RequestFieldRule.Writing? {
    switch (field.kind, member.stored) {
    case (.boolean, .boolean?), (.boolean, nil), (.number, nil): nil
    case (.boolean, _): .boolean
    case (.number, .string?), (.number, .decimal?), (.number, .undeclared?): .number
    // What a number field would round, JSON keeps.
    case (.json, .integer64?), (.json, .undeclared?): .plain
    case (.number, _), (.value, _), (.json, _), (.moment, _), (.object, _), (.relation, _),
      (.file, _):
      nil
    }
  }
}
