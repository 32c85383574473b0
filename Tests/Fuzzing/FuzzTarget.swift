/// A reader, and what has to hold of it whatever it is fed with.
///
/// libFuzzer makes inputs up for it (`LibFuzzer.swift`), and the ordinary tests feed it with those
/// that were kept (`ReplayTests.swift`): both in the same way, which is ``feed``.
struct FuzzTarget: Sendable {
  /// Of the file in `targets` that has it, and of the folder in `corpora` that has its inputs.
  let name: String
  /// Feeds the reader with bytes, and reports what came of it.
  let feed: @Sendable (_ input: UnsafeBufferPointer<UInt8>, _ report: inout FuzzReport) -> Void

  init(
    _ name: String,
    _ feed:
      @escaping @Sendable (
        _ input: UnsafeBufferPointer<UInt8>, _ report: inout FuzzReport
      ) -> Void
  ) {
    self.name = name
    self.feed = feed
  }
}

extension FuzzTarget: CustomStringConvertible {
  var description: String { name }
}

/// What came of one input.
struct FuzzReport {
  /// What should not have happened.
  private(set) var complaints: [String] = []
  /// Whether the input is not one for this reader, so that nothing is learned from it.
  private(set) var isForeign = false

  mutating func expect(_ holds: Bool, _ complaint: @autoclosure () -> String) {
    if !holds { complain(complaint()) }
  }

  mutating func complain(_ complaint: String) { complaints.append(complaint) }

  /// Holds the words of a refusal against what they are for.
  mutating func expectReason(_ words: String) {
    expect(!words.isEmpty, "a refusal does not say why")
  }

  mutating func rejectAsForeign() { isForeign = true }
}
