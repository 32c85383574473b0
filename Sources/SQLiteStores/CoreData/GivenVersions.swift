package import ManagedObjectModels
package import Records
package import StoreFiles

/// The versions of the models that a person gave for a store.
package struct GivenVersions {
  let candidates: [ModelCandidate]

  /// Finds the versions at these paths, without reading them yet.
  package init(_ paths: [String]) throws(StoreError) {
    var candidates: [ModelCandidate] = []
    for path in paths {
      do throws(ModelFault) {
        candidates += try GivenModels.candidates(at: path)
      } catch {
        throw Self.unusable(error, path: path)
      }
    }
    self.candidates = candidates
  }

  /// Those first whose hashes are the store's exactly.
  package func ordered(by hashes: [String: [UInt8]]?) -> [ModelCandidate] {
    guard let hashes else { return candidates }
    return candidates.filter { $0.versionHashes == hashes }
      + candidates.filter { $0.versionHashes != hashes }
  }

  package static func model(of candidate: ModelCandidate) throws(StoreError) -> ManagedObjectModel {
    do throws(ModelFault) {
      return try candidate.model()
    } catch {
      throw unusable(error, path: candidate.path)
    }
  }

  /// The entities whose hashes differ; `nil` when the model has all of the store's.
  ///
  /// A store that holds one configuration knows the hashes of that one only.
  package static func difference(_ known: [String: [UInt8]], _ hashes: [String: [UInt8]]) -> String?
  {
    guard !known.isEmpty else { return "everything: the store has no hashes" }
    let different = known.keys.filter { hashes[$0] != known[$0] }.sorted()
    return different.isEmpty ? nil : summary(different)
  }

  package static func summary(_ list: [String]) -> String {
    list.prefix(3).joined(separator: ", ")
      + (list.count > 3 ? " and \(list.count - 3) more" : "")
  }

  /// Which version was taken, and which others would have fitted as well.
  package static func finding(chosen: ModelCandidate, others: [String]) -> Finding {
    let also = others.isEmpty ? "" : "; \(others.joined(separator: ", ")) would fit as well"
    return Finding(
      code: "store.model-given",
      severity: others.isEmpty ? .note : .warning,
      cause: "the store is read with the given model \(chosen.name) (\(chosen.path))\(also)",
      cure: others.isEmpty
        ? "no action is needed"
        : "give the one version the app used last; they keep the same columns, but may differ in "
          + "what optional, ordered or a type means"
    )
  }

  private static func unusable(_ fault: ModelFault, path: String) -> StoreError {
    .unusableModel(path: fault.path ?? path, reason: fault.reason, cure: fault.cure)
  }
}
