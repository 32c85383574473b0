// rooms: Patterns
// libraries: libpcre2-8
import Patterns

/// What libFuzzer calls: the input up to its first line end is a pattern, the rest a subject.
///
/// The pattern may be refused, and the match may meet its limit; nothing else may happen. A pattern
/// with a table is found where the engine finds it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let end = bytes.firstIndex(of: 0x0A) ?? count
  let source = String(decoding: bytes[..<end], as: UTF8.self)
  let subject = String(decoding: bytes[min(end + 1, count)...], as: UTF8.self)
  let isWellFormed = Pattern.isWellFormed(source)
  do throws(PatternError) {
    let pattern = try Pattern(source)
    precondition(isWellFormed, "a pattern compiles that is not well formed")
    let isFound = try pattern.matches(subject)
    if pattern.table != nil {
      let engineFinds = try pattern.engineMatches(subject)
      precondition(isFound == engineFinds, "the table says \(isFound), the engine \(engineFinds)")
    }
  } catch {
    _ = error.description
  }
  return 0
}
