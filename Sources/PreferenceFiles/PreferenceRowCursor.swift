import JSONText
import LongTexts
import PropertyLists
import Records
import StoreFiles

/// The rows of a request, lent from preferences.
@safe
final class PreferenceRowCursor: RowReader {
  /// Where a cell comes from.
  private enum Place {
    case address
    case attribute(StoreAttribute)
    case nullNames
  }

  private let table: PreferenceTable
  private let storePath: String
  private let texts: LongTexts?
  /// The text before the ordinal in a row's address.
  private let addressPrefix: String
  private let places: [Place]
  private let arena = Arena()
  private let cells: UnsafeMutableBufferPointer<Cell>
  /// The ordinal of the row at hand, counted from one.
  private var ordinal: Int

  init(_ table: PreferenceTable, _ request: RowRequest, of store: PreferencesStore)
    throws(StoreError)
  {
    let attributes = Dictionary(
      table.entity.attributes.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var places: [Place] = []
    for field in request.fields {
      places.append(try Self.place(of: field, in: table, attributes, storePath: store.sourcePath))
    }
    self.table = table
    self.places = places
    storePath = store.sourcePath
    texts = store.texts
    addressPrefix = "x-preferences:\(store.identity.uuid)/\(request.entity)/"
    ordinal = Int(clamping: max(0, request.after ?? 0))
    unsafe cells = .allocate(capacity: places.count)
    unsafe cells.initialize(repeating: .null)
  }

  deinit { unsafe cells.deallocate() }

  /// Goes to the next row; `false` when it is missing.
  func next() throws(StoreError) -> Bool {
    guard ordinal < table.elements.count else { return false }
    let members = table.members(of: ordinal)
    ordinal += 1
    arena.reset()
    for (index, place) in places.enumerated() {
      unsafe cells[index] =
        switch try value(at: place, members) {
        case .held(let value): lent(value)
        case .large(let value): arena.lend(value)
        }
    }
    return true
  }

  /// The row at hand, lent until the next call of ``next()``.
  var row: Row {
    unsafe Row(place: Int64(ordinal), cells: UnsafeBufferPointer(cells))
  }

  private static func place(
    of field: FieldRequest,
    in table: PreferenceTable,
    _ attributes: [String: StoreAttribute],
    storePath: String
  ) throws(StoreError) -> Place {
    switch field {
    case .objectURI:
      return .address
    case .attribute(let path):
      let name = path.joined(separator: ".")
      if name == table.nullNames { return .nullNames }
      if let found = attributes[name] { return .attribute(found) }
      throw .unknownField(
        path: storePath,
        entity: table.entity.name,
        field: name,
        reason: "no row has it"
      )
    case .reference(let name, _), .references(let name, _):
      throw .unknownField(
        path: storePath,
        entity: table.entity.name,
        field: name,
        reason: "preferences have no relationships"
      )
    case .joined(let join, _): throw .unjoined(join, of: table.entity.name, path: storePath)
    }
  }

  private func value(
    at place: Place,
    _ members: [String: PreferenceValue]
  ) throws(StoreError) -> LentValue {
    switch place {
    case .address:
      return .held(.text(Array("\(addressPrefix)\(ordinal)".utf8)))
    case .nullNames:
      let names = members.filter { $0.value.kind == nil }.map(\.key)
      if names.isEmpty { return .held(.null) }
      let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return .held(.json(JSONValue.array(sorted.map { .string($0) }).canonicalBytes))
    case .attribute(let attribute):
      guard let member = members[attribute.name] else { return .held(.null) }
      guard let value = member.lent(as: attribute.kind) else {
        throw .damaged(
          path: storePath,
          place: "row \(ordinal) of \(table.entity.name), \(attribute.name)",
          details: "the value is longer than \(PropertyListJSON.limit >> 20) MiB when written out"
        )
      }
      return value
    }
  }

  private func lent(_ value: HeldValue) -> Cell {
    switch value {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let bytes): lent(text: bytes)
    case .blob(let bytes): arena.blob(bytes)
    case .json(let bytes): lent(json: bytes)
    }
  }

  private func lent(json bytes: [UInt8]) -> Cell {
    let kept = unsafe arena.keep(bytes)
    guard let texts else { return unsafe .json(kept) }
    return unsafe arena.json(lent: kept, texts)
  }

  private func lent(text bytes: [UInt8]) -> Cell {
    guard let texts else { return arena.text(bytes) }
    return unsafe bytes.withUnsafeBytes { unsafe arena.text($0, texts) }
  }
}
