// rooms: XMLAccess
// libraries: libxml-2.0
// seeds: xmlstore plist model
import XMLAccess

/// What libFuzzer calls: the input may be refused, and nothing else may happen.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do throws(XMLError) {
    let reader = try XMLEventReader(bytes: bytes)
    while try reader.next() != nil {}
    precondition(reader.depth == 0, "a sound document ends with its root")
  } catch {
    _ = error.description
  }
  return 0
}
