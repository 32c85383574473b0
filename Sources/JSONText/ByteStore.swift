/// Bytes that grow by appending and keep their space when cleared.
///
/// The address is stable until the next call that reserves space.
@safe
struct ByteStore: ~Copyable {
  private(set) var base: UnsafeMutableRawPointer
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 256) {
    unsafe base = .allocate(byteCount: capacity, alignment: 16)
    self.capacity = capacity
  }

  deinit {
    unsafe base.deallocate()
  }

  /// Forgets the bytes and keeps the space.
  mutating func removeAll() {
    count = 0
  }

  /// Makes space for `extra` more bytes and gives the address of the first.
  mutating func reserve(_ extra: Int) -> UnsafeMutableRawPointer {
    if count + extra > capacity {
      capacity = max(capacity * 2, count + extra)
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
      unsafe larger.copyMemory(from: base, byteCount: count)
      unsafe base.deallocate()
      unsafe base = larger
    }
    return unsafe base + count
  }

  /// Counts `extra` bytes, written where ``reserve(_:)`` said, as part of the store.
  mutating func commit(_ extra: Int) {
    precondition(count + extra <= capacity, "only reserved bytes can be committed")
    count += extra
  }
}
