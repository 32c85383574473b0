import ManagedObjectModels
import Records

/// The model of a store, from its own cache or, failing that, from its tables alone.
struct StoreModelReading {
  let model: StoreModel
  let layouts: [EntityName: EntityLayout]
  let dataTables: Set<String>
  let isSwiftData: Bool
  let findings: [Finding]

  init(
    _ database: Database,
    schema: StoreSchema,
    metadata: StoreMetadata
  ) throws(StoreError) {
    var findings: [Finding] = []
    do throws(ModelFault) {
      let cache = try Self.cache(database, schema: schema)
      let archived = try ManagedObjectModel(deflated: cache)
      try Self.checkFreshness(archived, metadata)
      let numbers = EntityNumbers(archived, listed: metadata.entities)
      let layout = StoreLayout(archived, numbers: numbers, schema: schema)
      model = Self.model(archived, layout: layout, metadata: metadata)
      layouts = layout.entities
      dataTables = layout.dataTables
      // SwiftData names its one configuration; Core Data names none unless the developer does.
      isSwiftData = archived.configurationNames == ["default"]
      self.findings = numbers.findings + layout.findings
      return
    } catch {
      findings.append(Self.noModel(error))
    }
    let tablesOnly = SchemaOnlyModel(metadata, schema: schema)
    model = tablesOnly.model
    layouts = tablesOnly.layouts
    dataTables = tablesOnly.dataTables
    isSwiftData = false
    self.findings = findings + tablesOnly.findings
  }

  private static func cache(
    _ database: Database,
    schema: StoreSchema
  ) throws(ModelFault) -> [UInt8] {
    guard schema.tables["Z_MODELCACHE"]?.column("Z_CONTENT") != nil else {
      throw ModelFault("it has no table Z_MODELCACHE")
    }
    do throws(StoreError) {
      let row = try database.statement(
        "SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1",
        purpose: "read Z_MODELCACHE"
      )
      if try row.step(), let bytes = row.bytes(0), !bytes.isEmpty { return bytes }
    } catch {
      throw ModelFault(error.description)
    }
    throw ModelFault("Z_MODELCACHE is empty")
  }

  /// A cache left over from another model would put values under wrong names.
  private static func checkFreshness(
    _ model: ManagedObjectModel,
    _ metadata: StoreMetadata
  ) throws(ModelFault) {
    let known =
      metadata.versionHashes.map { Set($0.keys) } ?? Set(metadata.entities.map(\.name))
    guard known == Set(model.entities.keys) else {
      let difference = known.symmetricDifference(model.entities.keys).sorted()
      throw ModelFault(
        "Z_MODELCACHE holds another model: they differ in "
          + difference.prefix(5).joined(separator: ", ")
      )
    }
  }

  private static func model(
    _ archived: ManagedObjectModel,
    layout: StoreLayout,
    metadata: StoreMetadata
  ) -> StoreModel {
    let entities = layout.entities.values.sorted { $0.number < $1.number }
      .compactMap { place -> StoreEntity? in
        guard let entity = archived.entities[place.name.text] else { return nil }
        let chain = layout.chain(of: entity)
        return StoreEntity(
          name: place.name,
          number: place.number,
          superentity: entity.superName.flatMap { EntityName($0) },
          isAbstract: entity.isAbstract,
          className: entity.className,
          attributes: chain.flatMap(\.attributes).sorted { precedes($0.name, $1.name) },
          relationships: chain.flatMap(\.relationships).sorted { precedes($0.name, $1.name) },
          uniqueKeys: chain.flatMap(\.uniqueKeys)
        )
      }
    return StoreModel(
      origin: .store,
      entities: entities,
      versionIdentifiers: archived.versionIdentifiers
    )
  }

  private static func noModel(_ fault: ModelFault) -> Finding {
    Finding(
      code: "store.model-missing",
      severity: .warning,
      cause: "the store does not carry a usable model: \(fault)",
      cure: "names are in upper case and relationships are plain numbers; opening the store once "
        + "with its app on iOS 9, macOS 10.11 or later writes the model"
    )
  }
}
