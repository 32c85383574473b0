// rooms: JSONText
// seeds: ../schema-corpora
import JSONText

nonisolated(unsafe) private let document = JSONDocument()

/// What libFuzzer calls: the input may be refused; what is taken is written in one canonical form
/// that reads back as itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  do throws(JSONError) {
    try document.parse(UnsafeRawBufferPointer(start: start, count: count))
  } catch {
    _ = error.description
    return 0
  }
  var writer = JSONWriter()
  document.write(document.root, to: &writer)
  let canonical = writer.bytes
  let value = document.value(of: document.root)
  precondition(value.canonicalBytes == canonical, "a value is written in two ways")
  do throws(JSONError) {
    try document.parse(copying: canonical)
  } catch {
    fatalError("what was written is no JSON: \(error)")
  }
  var again = JSONWriter()
  document.write(document.root, to: &again)
  precondition(again.bytes == canonical, "the canonical form is not its own")
  return 0
}
