// rooms: JSONText XMLAccess PropertyLists
// libraries: libxml-2.0
// seeds: plist
import PropertyLists

/// What libFuzzer calls: the input may be refused, and nothing else may happen.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard PropertyListForm(bytes) == .oldStyle else { return -1 }
  do throws(PropertyListError) {
    _ = try PropertyListDocument(bytes: bytes)
  } catch {
    _ = error.description
  }
  return 0
}
