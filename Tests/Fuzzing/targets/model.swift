// stand-ins: Crypto
// rooms: JSONText XMLAccess PropertyLists Records Files ManagedObjectModels
// libraries: libxml-2.0 zlib
// seeds: nskeyed model
import ManagedObjectModels
import Records

/// What libFuzzer calls: the input, as a compiled model and as the compressed one of a store, may be
/// refused, and nothing else may happen.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  for isDeflated in [false, true] {
    do throws(ModelFault) {
      let model =
        isDeflated
        ? try ManagedObjectModel(deflated: bytes) : try ManagedObjectModel(compiled: bytes)
      _ = model.storeModel.entities.count
    } catch {
      _ = error.reason
    }
  }
  return 0
}
