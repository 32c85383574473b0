import Files
package import ManagedObjectModels
package import Records
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
/// | a text that is none of its type | the text itself, with a finding |
/// | a relationship's `type`, `0/1` | least and most; at most one is a to-one relationship |
/// | `idrefs` | the objects in this order |
///
/// Rows come in the order of the objects' numbers, and have the addresses that Core Data would give
/// them: `x-coredata://UUID/Entity/p102` for the object `z102`. Two relationships that alone lead
/// from one entity to another and back are taken for each other's inverse; where they disagree, the
/// side that leads to one object is trusted.
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
  ///   - given: The app's model, which gives names their own letters; `nil` when there is none.
  /// - Throws: ``StoreError/malformedXML(_:)`` with the place that is no store.
  package init(_ copy: StoreCopy, model given: ManagedObjectModel? = nil) throws(StoreError) {
    let given = given.map { XMLGivenModel($0) }
    let scratchPath = copy.path + ".objects.sqlite"
    try mapping { () throws(FileError) in try Folder.remove(scratchPath) }
    let converted = try Self.convert(copy, given: given, into: scratchPath)
    let (shape, metadata, names) = (converted.shape, converted.metadata, converted.names)
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
      XMLStoreModel.findings(shape, names: names, metadata, given: given) + converted.findings
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
    let findings: [Finding]
  }

  /// Fills the private database; it is closed when this returns.
  private static func convert(
    _ copy: StoreCopy,
    given: XMLGivenModel?,
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
      if let given { reading.pair(by: given) }
      let names = XMLStoreNames(reading.shape, metadata: reading.metadata, given: given)
      return Converted(
        shape: reading.shape,
        metadata: reading.metadata,
        names: names,
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
