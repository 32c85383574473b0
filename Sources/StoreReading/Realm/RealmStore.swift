import Files
package import Records
package import RealmFiles
package import StoreFiles

/// A Realm database: the app's classes are the entities, under their names without `class_`.
///
/// | in the file | becomes |
/// |---|---|
/// | a class, plain or asymmetric | an entity; its primary key is a unique key |
/// | an embedded class | no entity: its objects are in the values of their owners |
/// | a property with one value | an attribute; an ObjectId is a text of 24 hexadecimal digits |
/// | a list, set or dictionary of values, a mixed value, a sub-table | a transformable, lent as JSON |
/// | an embedded object, and a list or dictionary of them | a transformable, lent as JSON |
/// | a link | a to-one relationship |
/// | a list of links, a set of links | an ordered and an unordered to-many relationship |
/// | tables without `class_`, and those that Realm's sync made | other tables: they are not read; in a file without any class, which no SDK wrote, its tables are the entities |
///
/// Rows come in the order of the object keys, which are their places; up to format 9 that is the row's
/// number, counted from zero, which changes when another row is deleted. A row's address is
/// `realm:<entity>/<key>`.
///
/// Realm gives a file no identity, so the store's name is a digest of its classes: the same from run to
/// run, another when they change.
package final class RealmStore: Store {
  package let identity: StoreIdentity
  package let model: StoreModel
  package let otherTables: [String]
  package let findings: [Finding]
  package let file: RealmFile
  /// The source's path, for messages.
  package let sourcePath: String

  let layouts: [EntityName: RealmEntityLayout]
  /// The entities of tables that have one, by the tables' places.
  let entities: [Int: EntityName]

  /// Opens the copy.
  ///
  /// - Parameters:
  ///   - copy: The private copy of the file.
  ///   - key: The 64 bytes that an encrypted file is opened with.
  /// - Throws: `StoreError.unreadableRealm(path:reason:)` for what cannot be read.
  package init(_ copy: StoreCopy, key: [UInt8]? = nil) throws(StoreError) {
    let path = copy.sourcePath
    let file = try Self.open(copy, key: key)
    let reading = RealmModelReading(file)
    self.file = file
    sourcePath = path
    layouts = reading.layouts
    entities = reading.entityNames
    model = StoreModel(
      origin: .store,
      entities: reading.entities,
      versionIdentifiers: try Self.schemaVersion(of: file, path: path)
    )
    identity = StoreIdentity(
      kind: .realm,
      uuid: reading.schemaDigest,
      frameworkVersion: nil,
      modelVersionIdentifiers: model.versionIdentifiers
    )
    otherTables = reading.otherTables
    findings = reading.findings
  }

  private static func open(_ copy: StoreCopy, key: [UInt8]?) throws(StoreError) -> RealmFile {
    let input: InputFile
    do throws(FileError) {
      input = try InputFile(copy.path, followsLinks: false)
    } catch {
      throw .file(error)
    }
    do throws(RealmError) {
      return try RealmFile(input, key: key)
    } catch {
      throw .unreadableRealm(path: copy.sourcePath, reason: error)
    }
  }

  package func rowCount(of entity: EntityName) throws(StoreError) -> Int {
    let table = try layout(of: entity).table
    return try reading(sourcePath) { () throws(RealmError) in try file.rowCount(ofTable: table) }
  }

  package func rows(_ request: RowRequest) throws(StoreError) -> any RowReader {
    try RealmRowReader(request, of: self)
  }

  func layout(of entity: EntityName) throws(StoreError) -> RealmEntityLayout {
    guard let layout = layouts[entity] else { throw .unknownEntity(path: sourcePath, entity) }
    return layout
  }

  /// The app's number of its schema, which is in a table of Realm's own.
  private static func schemaVersion(
    of file: RealmFile,
    path: String
  ) throws(StoreError) -> [String] {
    guard let table = file.tables.firstIndex(where: { $0.name == "metadata" }),
      let property = file.tables[table].properties.firstIndex(where: { $0.name == "version" })
    else { return [] }
    return try reading(path) { () throws(RealmError) in
      let rows = try file.rows(ofTable: table, properties: [property])
      guard try rows.next(), case .int(let version) = try rows.value(0) else { return [] }
      return [String(version)]
    }
  }
}

/// Runs `body` and wraps what a Realm file refused.
func reading<Result>(
  _ path: String,
  _ body: () throws(RealmError) -> Result
) throws(StoreError) -> Result {
  do throws(RealmError) {
    return try body()
  } catch {
    if case .file(let refused) = error { throw .file(refused) }
    throw .unreadableRealm(path: path, reason: error)
  }
}
