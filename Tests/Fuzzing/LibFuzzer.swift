/// What libFuzzer calls with each input; the build says which target is `chosen`.
@_cdecl("LLVMFuzzerTestOneInput")
public func feedChosen(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var report = FuzzReport()
  chosen.feed(UnsafeBufferPointer(start: start, count: count), &report)
  guard report.complaints.isEmpty else { fatalError(report.complaints.joined(separator: "; ")) }
  return report.isForeign ? -1 : 0
}
