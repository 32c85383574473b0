// rooms: JSONText XMLAccess PropertyLists
// libraries: libxml-2.0
// seeds: nskeyed
import JSONText
import PropertyLists

/// What libFuzzer calls: the input may be refused, and nothing else may happen.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do throws(PropertyListError) {
    let json = try KeyedArchive(bytes: bytes).json()
    do throws(JSONError) {
      _ = try JSONValue(parsing: json)
    } catch {
      fatalError("what was written is no JSON: \(error)")
    }
  } catch {
    _ = error.description
  }
  return 0
}
