/// Values one after the other, in memory that is used again and again.
///
/// What is added costs a copy and nothing else: there is no one to share the memory with.
@safe
struct Arena<Element: BitwiseCopyable>: ~Copyable {
  private var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 1)
    unsafe base = .allocate(capacity: self.capacity)
  }

  deinit { unsafe base.deallocate() }

  subscript(place: Int) -> Element {
    precondition(place >= 0 && place < count)
    return unsafe base[place]
  }

  mutating func append(_ element: Element) {
    if count == capacity { grow(by: 1) }
    unsafe (base + count).initialize(to: element)
    count += 1
  }

  mutating func append(_ elements: UnsafeBufferPointer<Element>) {
    if capacity - count < elements.count { grow(by: elements.count) }
    guard let start = elements.baseAddress else { return }
    unsafe (base + count).initialize(from: start, count: elements.count)
    count += elements.count
  }

  /// Changes the element added last.
  mutating func changeLast(_ change: (inout Element) -> Void) {
    precondition(count > 0)
    unsafe change(&base[count - 1])
  }

  mutating func removeAll() { count = 0 }

  /// The elements, for as long as nothing is added or removed.
  func elements(_ range: Range<Int>) -> UnsafeBufferPointer<Element> {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return unsafe UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  private mutating func grow(by more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: larger)
    unsafe moved.initialize(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = moved
    capacity = larger
  }
}
