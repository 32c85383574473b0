import ManagedObjectModels
import Records
import SQLiteStores
import StoreFiles

/// Picks, of the models a person gave, the version that wrote an XML store.
///
/// Where both sides state hashes, these decide. Else a version can be it when it has every entity of
/// the file; the one is taken that lacks the fewest of the file's properties, and of several such
/// the bundle's current one.
struct XMLModelChoice {
  let model: XMLGivenModel
  let finding: Finding

  private struct Fit {
    let candidate: ModelCandidate
    let model: XMLGivenModel
    let missingCount: Int
  }

  /// - Throws: `StoreError.foreignModel(path:differences:)` when none fits.
  init(
    _ paths: [String],
    _ shape: XMLStoreShape,
    _ metadata: XMLStoreMetadata,
    path: String
  ) throws(StoreError) {
    let known = metadata.versionHashes.isEmpty ? nil : metadata.versionHashes
    var differences: [String] = []
    var fits: [Fit] = []
    for candidate in try GivenVersions(paths).ordered(by: known) {
      let isProven = known != nil && candidate.versionHashes != nil
      if let known, let hashes = candidate.versionHashes,
        let different = GivenVersions.difference(known, hashes)
      {
        differences.append("\(candidate.name) differs in \(different)")
        continue
      }
      let model = XMLGivenModel(try GivenVersions.model(of: candidate))
      let missing = model.missingEntities(of: shape)
      guard missing.isEmpty else {
        differences.append("\(candidate.name) has no \(GivenVersions.summary(missing))")
        continue
      }
      let missingCount = isProven ? 0 : model.missingProperties(of: shape)
      fits.append(Fit(candidate: candidate, model: model, missingCount: missingCount))
      if isProven { break }
    }
    let least = fits.map(\.missingCount).min()
    let best = fits.filter { $0.missingCount == least }
    guard let chosen = best.first(where: { $0.candidate.isCurrent }) ?? best.last else {
      throw .foreignModel(path: path, differences: differences)
    }
    model = chosen.model
    let others = best.map(\.candidate).filter { $0 != chosen.candidate }
    finding = GivenVersions.finding(chosen: chosen.candidate, others: others.map(\.name))
  }
}

extension XMLGivenModel {
  /// The entities of the file that the model does not have.
  fileprivate func missingEntities(of shape: XMLStoreShape) -> [String] {
    shape.entities.keys.filter { entities[$0.uppercased()] == nil }.sorted()
  }

  /// How many properties of the file the model does not have.
  fileprivate func missingProperties(of shape: XMLStoreShape) -> Int {
    shape.entities.reduce(0) { sum, pair in
      guard let known = entities[pair.key.uppercased()] else { return sum }
      let names = known.attributes.map(\.name) + known.relationships.map(\.name)
      let properties = Set(names.map { $0.lowercased() })
      let found = Array(pair.value.attributes.keys) + Array(pair.value.relationships.keys)
      return sum + found.count { !properties.contains($0.lowercased()) }
    }
  }
}
