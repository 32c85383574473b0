/// How far the operations are that are in memory, by their numbers, and how many are where.
///
/// The counts let the engine pass by what it does not exist of, without looking at each operation with
/// each thing that happens.
struct TrackedOperations: Sendable {
  typealias Entry = UploadEngine.Tracked

  private var window = NumberedWindow<Entry>()
  /// Those that were lost, or are found out about after that.
  private(set) var lostCount = 0
  /// Those whose requests were all lost, and of which a last look says what became of them.
  private(set) var deadCount = 0
  /// Those that are looked up once nothing else is left.
  private(set) var parkedCount = 0
  /// Those whose intent is being committed, or is.
  private(set) var preparedCount = 0
  /// Those of them whose intent is committed.
  private(set) var begunCount = 0
  /// Those that ever had to wait for their time.
  private(set) var delayedCount = 0

  var count: Int { window.count }
  var isEmpty: Bool { window.isEmpty }

  subscript(number: Int64) -> Entry? {
    get { window[number] }
    set {
      if let old = window[number] { count(old, by: -1) }
      if let newValue { count(newValue, by: 1) }
      window[number] = newValue
    }
  }

  /// Calls `body` with each operation's number and entry, in their order.
  func forEach(_ body: (Int64, Entry) -> Void) { window.forEach(body) }

  private mutating func count(_ entry: Entry, by step: Int) {
    if entry.notBefore > .zero { delayedCount += step }
    if entry.isDeadLetter { deadCount += step }
    switch entry.stage {
    case .lost, .lookingUp, .revoking: lostCount += step
    case .parked: parkedCount += step
    case .beginning: preparedCount += step
    case .begun:
      preparedCount += step
      begunCount += step
    case .ready, .reading, .sending, .settling: break
    }
  }
}
