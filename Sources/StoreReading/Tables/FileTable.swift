import JSONText
import Records
import StoreFiles

/// One entity that the rows of a file, or the documents of a folder, come to.
struct FileTable {
  let name: EntityName
  /// The names of its columns, in the order in which they were found.
  private(set) var names: [JSONName] = []
  private(set) var columns: [FileColumn] = []
  private(set) var rowCount = 0
  private var places: [JSONName: Int] = [:]
  /// The places of columns that no row has of itself.
  private var addedPlaces: [JSONName: Int] = [:]
  private let isTextual: Bool

  /// The attribute that holds the name under which an object is in a larger one, or its document's name.
  static let keyName: JSONName = "$key"
  /// Each is an attribute, and has a line in a profile and in a schema.
  static let mostColumns = 2_000

  init(_ name: EntityName, isTextual: Bool) {
    self.name = name
    self.isTextual = isTextual
  }

  /// The place of the column, which is added where it is new.
  mutating func place(of name: JSONName) -> Int {
    if let place = places[name] { return place }
    places[name] = names.count
    names.append(name)
    columns.append(FileColumn(isTextual: isTextual))
    return names.count - 1
  }

  /// The place of a column for what is known beside a row's own values; the rows may have one of its name.
  mutating func place(ofAdded name: JSONName) -> Int {
    if let place = addedPlaces[name] { return place }
    addedPlaces[name] = names.count
    names.append(name)
    columns.append(FileColumn(isTextual: isTextual))
    return names.count - 1
  }

  /// How many columns were added.
  var addedCount: Int { addedPlaces.count }

  /// Whether this column was added.
  func hasAdded(_ name: JSONName) -> Bool { addedPlaces[name] != nil }

  mutating func change(_ place: Int, _ body: (inout FileColumn) -> Void) { body(&columns[place]) }

  /// Counts one more row, and gives its number, counted from one.
  mutating func addRow() -> Int {
    rowCount += 1
    return rowCount
  }

  /// The columns as attributes.
  var entity: StoreEntity {
    let distinct = DistinctNames(names.map(\.description))
    return StoreEntity(
      name: name,
      attributes: zip(distinct.all, columns).map { name, column in
        StoreAttribute(
          name: name,
          kind: column.kind,
          isOptional: column.isOptional(among: rowCount)
        )
      },
      // A line's number is another row's when a line before it goes.
      keysMayChange: true
    )
  }

  /// Notes of the columns that are called otherwise than in the file.
  var renamedFindings: [Finding] {
    let texts = names.map(\.description)
    return zip(texts, DistinctNames(texts).all).filter { $0 != $1 }.map { text, given in
      .renamed("member", text, to: given, in: name)
    }
  }

  /// A note of members that some rows lack and others have as null: both are null in the records.
  var nullFinding: Finding? {
    let mixed = zip(names, columns).filter { _, column in
      column.nullCount > 0 && column.presentCount < rowCount
    }
    guard !isTextual, !mixed.isEmpty else { return nil }
    return Finding(
      code: "store.null-and-absent",
      severity: .note,
      entity: name,
      cause: "some rows have these members as null and others lack them: "
        + KeyList.text(mixed.map(\.0.description)),
      cure: "no action is needed: the records have null in both"
    )
  }
}
