import ManagedObjectModels
import Records
import StoreFiles

/// Picks, of the models a person gave, the version that wrote the store.
///
/// Where both sides state hashes, these decide. Else a version fits when entities and columns agree
/// one by one, and of several the bundle's current one is taken.
struct ModelChoice {
  let fit: ModelFit
  let findings: [Finding]

  init(
    _ paths: [String],
    metadata: StoreMetadata,
    schema: StoreSchema,
    path: String
  ) throws(StoreError) {
    let versions = try GivenVersions(paths)
    var differences: [String] = []
    var fitting: [(candidate: ModelCandidate, fit: ModelFit)] = []
    for candidate in versions.ordered(by: metadata.versionHashes) {
      if let known = metadata.versionHashes, let hashes = candidate.versionHashes {
        if let different = GivenVersions.difference(known, hashes) {
          differences.append("\(candidate.name) differs in \(different)")
          continue
        }
        let model = try GivenVersions.model(of: candidate)
        if known.count < hashes.count, model.configurationNames.isEmpty {
          differences.append("\(candidate.name) has more entities than the store")
          continue
        }
        self.init(
          ModelFit(model, metadata: metadata, schema: schema),
          chosen: candidate,
          others: []
        )
        return
      }
      let fit = ModelFit(try GivenVersions.model(of: candidate), metadata: metadata, schema: schema)
      let faults = fit.differences(metadata)
      if faults.isEmpty {
        fitting.append((candidate, fit))
      } else {
        differences.append("\(candidate.name): " + GivenVersions.summary(faults))
      }
    }
    guard let best = fitting.first(where: { $0.candidate.isCurrent }) ?? fitting.last else {
      throw .foreignModel(path: path, differences: differences)
    }
    let others = fitting.map(\.candidate).filter { $0 != best.candidate }
    self.init(best.fit, chosen: best.candidate, others: others.map(\.name))
  }

  private init(_ fit: ModelFit, chosen: ModelCandidate, others: [String]) {
    self.fit = fit
    findings = [GivenVersions.finding(chosen: chosen, others: others)]
  }
}
