import ExportPackage
import JSONText
import Profiles
import RecordMapping
import Records
import RequestBodies
import RequestMapping
import StageSupport

/// Reads the records of a package as rows.
struct RowReader {
  private let package: PackageReader
  private let profile: Profile
  private let mappings: RequestMappings?
  let tables: [RowTable]

  init(_ package: PackageReader, _ profile: Profile) {
    self.package = package
    self.profile = profile
    let entities = package.manifest.entities
    mappings = RequestMappings(
      profile: profile,
      references: Dictionary(
        entities.map { entity in
          (
            entity.name,
            entity.references.map {
              RecordReference(member: $0.member, targets: $0.entities, isToMany: $0.isToMany)
            }
          )
        },
        uniquingKeysWith: { first, _ in first }
      ),
      keyMembers: Dictionary(
        entities.map { ($0.name, $0.key) },
        uniquingKeysWith: { first, _ in first }
      ),
      queue: .none
    )
    tables = Self.tables(of: package.manifest, profile)
  }

  private static func tables(of manifest: PackageManifest, _ profile: Profile) -> [RowTable] {
    guard let api = profile.api else {
      return manifest.entities.map { RowTable(entity: $0.name, name: $0.name.text, ids: [$0.key]) }
    }
    let schema = (api.kind.settings as? PostgreSQLApi)?.schema
    return profile.entities.compactMap { entity in
      guard entity.outcomeWithoutSending(api) == nil, let found = api.entity(entity.name) else {
        return nil
      }
      return RowTable(
        entity: entity.name,
        schema: schema,
        name: found.table ?? entity.name.text,
        ids: found.ids.map(\.description)
      )
    }
  }

  /// What a record becomes.
  enum Row {
    case row(TableRow, unmapped: [String])
    /// The user deleted it, or it is not meant for a destination.
    case skipped
    case rejected(Finding)
  }

  /// The columns of a table, those of the identity first.
  ///
  /// Where the profile has no `api`, all records are read for them.
  func columns(of table: RowTable, _ token: CancellationToken) throws -> [String] {
    if let mapping = mappings?.mapping(for: table.entity) {
      return table.ids
        + mapping.program.api.body.map(\.name).filter { !table.ids.contains($0) }
    }
    var names: Set<String> = []
    try forEachRow(of: table, token) { row in
      if case .row(let row, _) = row { names.formUnion(row.fields.map(\.name)) }
    }
    return table.ids + names.sorted()
  }

  /// Lends each row of a table, in the order of the package.
  func forEachRow(
    of table: RowTable,
    _ token: CancellationToken,
    _ body: (Row) throws -> Void
  ) throws {
    let mapping = mappings?.mapping(for: table.entity)
    try package.forEachRecord(of: table.entity) { line, _ in
      if token.isCancelled { throw MigrationError.interrupted }
      if let mapping {
        try body(try mapped(line, by: mapping, table))
      } else {
        try body(.row(try plain(line, table), unmapped: []))
      }
    }
  }

  private func plain(_ line: [UInt8], _ table: RowTable) throws -> TableRow {
    let record: JSONObject?
    do throws(JSONError) { record = try JSONValue(parsing: line).object } catch { record = nil }
    guard let record, let id = table.ids.first, let key = record[id]?.scalarText else {
      throw PackageError.damaged(
        path: package.path,
        reason: "a record of \(table.entity) has no key"
      )
    }
    let fields = record.members.filter { $0.name != id }
      .map { RequestField(name: $0.name, value: $0.value.canonicalBytes) }
    return TableRow(identity: [RequestField(name: id, text: key)], fields: fields)
  }

  private func mapped(
    _ line: [UInt8],
    by mapping: EntityMapping,
    _ table: RowTable
  ) throws -> Row {
    var key: String?
    do throws(MappingError) {
      let record = try mapping.record(line)
      guard let id = record.id else {
        throw MappingError(code: "record.unreadable", reason: "it has no key")
      }
      key = id.key
      let claim = record.claim
      if claim.isDeleted || claim.meaning == .delete || claim.meaning == .ignore { return .skipped }
      guard record.fileLinks.isEmpty else {
        throw MappingError(
          code: "request.missing-file",
          reason: "it names files, and a row carries none"
        )
      }
      let form = try record.form(resolver)
      let row = TableRow(
        identity: try identity(of: id, form, in: table),
        fields: form.create.filter { !table.ids.contains($0.name) },
        late: form.complete
      )
      return .row(row, unmapped: record.unmapped)
    } catch {
      if let fault = error.package { throw fault }
      return .rejected(
        Finding(
          code: error.code,
          severity: .error,
          entity: table.entity,
          record: key,
          cause: error.reason,
          cure: "repair it in the app, or change “body” in the profile, and export again"
        )
      )
    }
  }

  /// What the columns of the identity get: the record's own, or where there are several, what the record has in each.
  private func identity(
    of record: RecordID,
    _ form: RequestFieldSet,
    in table: RowTable
  ) throws(MappingError) -> [RequestField] {
    guard table.ids.count > 1 else {
      return table.ids.map { RequestField(name: $0, text: identity(of: record)) }
    }
    var fields: [RequestField] = []
    for name in table.ids {
      guard let field = form.create.first(where: { $0.name == name }), !field.json.isNull else {
        throw MappingError(
          code: "record.unreadable",
          reason: "it has nothing in “\(name)”, which is a part of its identity"
        )
      }
      fields.append(field)
    }
    return fields
  }

  private func identity(of record: RecordID) -> String {
    mappings?.clientID(of: record) ?? record.key
  }

  private var resolver: ReferenceResolver {
    ReferenceResolver(reference: { entity, key throws(MappingFault) in
      identity(of: RecordID(entity: entity, key: key))
    })
  }
}

extension RequestField {
  fileprivate init(name: String, text: String) {
    self.init(name: name, value: JSONValue.string(text).canonicalBytes)
  }
}

extension JSONValue {
  /// A text, or a whole number as text.
  fileprivate var scalarText: String? { text ?? integer.map(String.init) }
}
