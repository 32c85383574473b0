import ManagedObjectModels
import Records

/// Picks, of the models a person gave, the version that wrote the store.
///
/// Where both sides tell hashes, these decide. Else a version fits when entities and columns agree
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
    var candidates: [ModelCandidate] = []
    for path in paths {
      do throws(ModelFault) {
        candidates += try GivenModels.candidates(at: path)
      } catch {
        throw Self.unusable(error, path: path)
      }
    }
    var differences: [String] = []
    var fitting: [(candidate: ModelCandidate, fit: ModelFit)] = []
    for candidate in Self.ordered(candidates, by: metadata.versionHashes) {
      if let known = metadata.versionHashes, let hashes = candidate.versionHashes {
        if let different = Self.difference(known, hashes) {
          differences.append("\(candidate.name) differs in \(different)")
          continue
        }
        let model = try Self.model(of: candidate)
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
      let fit = ModelFit(try Self.model(of: candidate), metadata: metadata, schema: schema)
      let faults = fit.differences(metadata)
      if faults.isEmpty {
        fitting.append((candidate, fit))
      } else {
        differences.append("\(candidate.name): " + Self.summary(faults))
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
    let also = others.isEmpty ? "" : "; \(others.joined(separator: ", ")) would fit as well"
    findings = [
      Finding(
        code: "store.model-given",
        severity: others.isEmpty ? .note : .warning,
        cause: "the store is read with the given model \(chosen.name) (\(chosen.path))\(also)",
        cure: others.isEmpty
          ? "nothing is needed"
          : "give the one version the app used last; they keep the same columns, but may differ in "
            + "what optional, ordered or a type means"
      )
    ]
  }

  /// Those first whose hashes are the store's exactly.
  private static func ordered(
    _ candidates: [ModelCandidate],
    by hashes: [String: [UInt8]]?
  ) -> [ModelCandidate] {
    guard let hashes else { return candidates }
    return candidates.filter { $0.versionHashes == hashes }
      + candidates.filter { $0.versionHashes != hashes }
  }

  private static func model(
    of candidate: ModelCandidate
  ) throws(StoreError) -> ManagedObjectModel {
    do throws(ModelFault) {
      return try candidate.model()
    } catch {
      throw unusable(error, path: candidate.path)
    }
  }

  private static func unusable(_ fault: ModelFault, path: String) -> StoreError {
    .unusableModel(path: fault.path ?? path, reason: fault.reason, cure: fault.cure)
  }

  /// The entities whose hashes differ; `nil` when the model has all of the store's.
  ///
  /// A store that holds one configuration knows the hashes of that one only.
  private static func difference(
    _ known: [String: [UInt8]],
    _ hashes: [String: [UInt8]]
  ) -> String? {
    guard !known.isEmpty else { return "everything: the store tells no hashes" }
    let different = known.keys.filter { hashes[$0] != known[$0] }.sorted()
    return different.isEmpty ? nil : summary(different)
  }

  private static func summary(_ list: [String]) -> String {
    list.prefix(3).joined(separator: ", ")
      + (list.count > 3 ? " and \(list.count - 3) more" : "")
  }
}
