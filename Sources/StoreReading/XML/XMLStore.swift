import Files
package import Records
import SQLiteStores
package import StoreFiles
import XMLAccess

/// A Core Data store in XML (`NSXMLStoreType`), read in one pass and lent from a private database.
///
/// | in the file | becomes |
/// |---|---|
/// | `type` of an object | the entity, in the letters that the metadata has, else in upper case |
/// | `name` of an attribute, in lower case | the attribute, with the kind its type says |
/// | an attribute that is not there | null; an empty element is an empty text |
/// | `float`, `double`, `date` | a real; dates count seconds since 2001 |
/// | `binary`, `transformable` | the bytes of the base 64, white space anywhere |
/// | a text that is not one of its type | the text itself, with a finding |
/// | a relationship's `type`, `0/1` | least and most; at most one is a to-one relationship |
/// | `idrefs` | the objects in this order |
///
/// Rows come in the order of the objects' numbers, and have the addresses that Core Data would give
/// them: `x-coredata://UUID/Entity/p102` for the object `z102`. Where two relationships disagree that
/// a given model calls inverse to each other, the side that leads to one object is trusted. Without a
/// model no relationship has an inverse, and each is as the file has it.
package final class XMLStore: Store {
  package let identity: StoreIdentity
  package let model: StoreModel
  package let otherTables: [String] = []
  package let findings: [Finding]
  /// The source's path, for messages.
  package let sourcePath: String

  let database: Database
  let shape: XMLStoreShape
  let names: XMLStoreNames
  /// The names of entities in the file by their names in the model.
  private let fileNames: [EntityName: String]

  /// Reads the copy; the private database lies beside it.
  ///
  /// - Parameters:
  ///   - copy: The private copy of the file.
  ///   - models: The paths of the app's models; the version that wrote the store gives names their
  ///     own letters.
  /// - Throws: `StoreError.malformedXML(_:)` with the place that is no store, and
  ///   `StoreError.foreignModel(path:differences:)` when models are given and none fits.
  package init(_ copy: StoreCopy, models: [String] = []) throws(StoreError) {
    let scratchPath = copy.path + ".objects.sqlite"
    try mapping { () throws(FileError) in try Folder.remove(scratchPath) }
    let converted = try Self.convert(copy, models: models, into: scratchPath)
    let (shape, metadata, names) = (converted.shape, converted.metadata, converted.names)
    let given = converted.choice?.model
    self.shape = shape
    self.names = names
    sourcePath = copy.sourcePath
    database = try Database(path: scratchPath, name: copy.sourcePath)
    identity = StoreIdentity(
      kind: .coreDataXML,
      uuid: metadata.uuid ?? Folder.lastName(of: copy.sourcePath),
      frameworkVersion: metadata.frameworkVersion,
      modelVersionIdentifiers: metadata.versionIdentifiers,
      modelVersionHashes: metadata.versionHashes
    )
    model = XMLStoreModel.model(of: shape, names: names, metadata, given: given)
    fileNames = Dictionary(
      shape.entities.keys.compactMap { name in names.entity(name).map { ($0, name) } },
      uniquingKeysWith: { first, _ in first }
    )
    findings =
      (converted.choice.map { [$0.finding] } ?? [])
      + XMLStoreModel.findings(shape, names: names, metadata, given: given) + converted.findings
      + (try XMLStoreModel.danglingFindings(shape, names: names, in: database))
  }

  package func rowCount(of entity: EntityName) throws(StoreError) -> Int {
    try self.entity(entity).objectCount
  }

  package func rows(_ request: RowRequest) throws(StoreError) -> any RowReader {
    try XMLRowCursor(XMLRowPlan(request, of: self), of: self)
  }

  func entity(_ name: EntityName) throws(StoreError) -> XMLStoreShape.Entity {
    if let entity = shape.entities[fileName(of: name)] { return entity }
    guard model.entity(named: name) != nil else {
      throw .unknownEntity(path: sourcePath, name)
    }
    // The model has it, and the file has no object of it.
    return XMLStoreShape.Entity(number: 0)
  }

  /// The entity's name in the file; empty when the file has no object of it.
  func fileName(of entity: EntityName) -> String { fileNames[entity] ?? "" }

  /// What is kept of the pass over the file.
  private struct Converted {
    let shape: XMLStoreShape
    let metadata: XMLStoreMetadata
    let names: XMLStoreNames
    let choice: XMLModelChoice?
    let findings: [Finding]
  }

  /// Fills the private database; it is closed when this returns.
  private static func convert(
    _ copy: StoreCopy,
    models: [String],
    into path: String
  ) throws(StoreError) -> Converted {
    do throws(StoreError) {
      let reader: XMLEventReader
      do throws(XMLError) {
        reader = try XMLEventReader(path: copy.path, limits: .longAttributes)
      } catch {
        throw .malformedXML(error)
      }
      let scratch = try ScratchDatabase(path: path, name: copy.sourcePath)
      var reading = try XMLStoreReading(reader, into: scratch)
      try reading.run()
      let choice =
        models.isEmpty
        ? nil
        : try XMLModelChoice(models, reading.shape, reading.metadata, path: copy.sourcePath)
      if let choice { reading.pair(by: choice.model) }
      let names = XMLStoreNames(reading.shape, metadata: reading.metadata, given: choice?.model)
      return Converted(
        shape: reading.shape,
        metadata: reading.metadata,
        names: names,
        choice: choice,
        findings: try XMLInverses.settle(reading.shape, in: scratch, names: names)
      )
    } catch {
      guard case .malformedXML(let fault) = error else { throw error }
      // The message names the source, not the copy.
      throw .malformedXML(
        XMLError(
          fault.cause,
          path: copy.sourcePath,
          line: fault.line,
          column: fault.column,
          reason: fault.reason
        )
      )
    }
  }
}
