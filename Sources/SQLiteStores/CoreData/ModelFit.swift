import ManagedObjectModels
import Records

/// A model laid over the tables of a store, and how well it fits.
struct ModelFit {
  let model: ManagedObjectModel
  let numbers: EntityNumbers
  let layout: StoreLayout
  /// The model's entities that the store does not know, because it holds some configurations only.
  private let isComplete: Bool

  init(_ model: ManagedObjectModel, metadata: StoreMetadata, schema: StoreSchema) {
    self.model = model
    numbers = EntityNumbers(model, listed: metadata.entities)
    let known = metadata.entityNames
    let extra = Set(model.entities.keys).subtracting(known)
    isComplete = known.isSubset(of: model.entities.keys)
    layout = StoreLayout(
      model,
      numbers: numbers,
      schema: schema,
      absentNames: model.configurationNames.isEmpty ? [] : extra
    )
  }

  /// Whether every property of the model has its place in the tables.
  var isSound: Bool { isComplete && !layout.findings.contains { $0.severity == .error } }

  /// What keeps the model from being the store's, by names; nothing when it may be.
  func differences(_ metadata: StoreMetadata) -> [String] {
    let known = metadata.entityNames
    let names = Set(model.entities.keys)
    var differences = known.subtracting(names).sorted().map { "it has no entity \($0)" }
    if model.configurationNames.isEmpty {
      differences += names.subtracting(known).sorted().map { "the store has no entity \($0)" }
    }
    guard differences.isEmpty else { return differences }
    for finding in layout.findings
    where finding.severity == .error || finding.code == "store.column-unknown" {
      let place = (finding.entity?.text ?? "") + finding.pointer
      differences.append(place.isEmpty ? finding.cause : "\(place): \(finding.cause)")
    }
    return differences
  }
}
