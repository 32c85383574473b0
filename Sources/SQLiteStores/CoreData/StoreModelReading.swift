import ManagedObjectModels
import Records
import StoreFiles

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
    metadata: StoreMetadata,
    given: [String] = []
  ) throws(StoreError) {
    var found: ModelFit?
    var findings: [Finding] = []
    do throws(ModelFault) {
      let cached = try ManagedObjectModel(deflated: Self.cache(database, schema: schema))
      try Self.checkFreshness(cached, metadata)
      let fit = ModelFit(cached, metadata: metadata, schema: schema)
      found = fit
      if !given.isEmpty, fit.isSound { findings.append(Self.givenUnused()) }
    } catch {
      findings.append(Self.noModel(error, isGiven: !given.isEmpty))
    }
    var origin = StoreModel.Origin.store
    if !given.isEmpty, found?.isSound != true {
      let choice = try ModelChoice(given, metadata: metadata, schema: schema, path: database.name)
      origin = .given
      found = choice.fit
      findings += choice.findings
    }
    if let found {
      let layout = found.layout
      model = Self.model(found.model, layout: layout, origin: origin)
      layouts = layout.entities
      dataTables = layout.dataTables
      // SwiftData names its one configuration; Core Data names none unless the developer does.
      isSwiftData = found.model.configurationNames == ["default"]
      self.findings = findings + found.numbers.findings + layout.findings
      return
    }
    let tablesOnly = SchemaOnlyModel(metadata, schema: schema)
    model = tablesOnly.model
    layouts = tablesOnly.layouts
    dataTables = tablesOnly.dataTables
    isSwiftData = false
    self.findings =
      findings + tablesOnly.findings
      + (try ProbableFiles.findings(tablesOnly.layouts, in: database))
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
    let known = metadata.entityNames
    let names = Set(model.entities.keys)
    // With configurations, a store holds some of the model's entities only.
    if !model.configurationNames.isEmpty, known.isSubset(of: names), !known.isEmpty { return }
    guard known == names else {
      let difference = known.symmetricDifference(names).sorted()
      throw ModelFault(
        "Z_MODELCACHE holds another model: they differ in "
          + difference.prefix(5).joined(separator: ", ")
      )
    }
  }

  private static func model(
    _ archived: ManagedObjectModel,
    layout: StoreLayout,
    origin: StoreModel.Origin
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
          uniqueKeys: chain.flatMap(\.uniqueKeys),
          renamingIdentifier: entity.renamingIdentifier
        )
      }
    return StoreModel(
      origin: origin,
      entities: entities,
      versionIdentifiers: archived.versionIdentifiers
    )
  }

  private static func noModel(_ fault: ModelFault, isGiven: Bool) -> Finding {
    Finding(
      code: "store.model-missing",
      severity: isGiven ? .note : .warning,
      cause: "the store does not carry a usable model: \(fault)",
      cure: isGiven
        ? "no action is needed: a model was given"
        : "names are in upper case and most relationships are plain numbers; give the app's model "
          + "with --model (.momd or .xcdatamodeld), or open the store once with its app on iOS 9, macOS 10.11 "
          + "or later, which writes the model into it"
    )
  }

  private static func givenUnused() -> Finding {
    Finding(
      code: "store.model-not-needed",
      severity: .note,
      cause: "the store carries its own model, so the one that was given is not used",
      cure: "no action is needed"
    )
  }
}
