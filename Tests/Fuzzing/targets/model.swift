// seeds: nskeyed model
import ManagedObjectModels
import Records

extension FuzzTarget {
  /// The input, as a compiled model and as the compressed one of a store, may be refused, and nothing
  /// else may happen.
  static let model = FuzzTarget("model") { input, report in
    let bytes = Array(input)
    for isDeflated in [false, true] {
      do throws(ModelFault) {
        let model =
          isDeflated
          ? try ManagedObjectModel(deflated: bytes) : try ManagedObjectModel(compiled: bytes)
        _ = model.storeModel.entities.count
      } catch {
        report.expectReason(error.reason)
      }
    }
  }
}
