/// JSON written into one growing buffer, with the commas where they belong.
///
/// The caller writes names before values inside objects and closes what it opened; the writer
/// checks neither.
package struct JSONWriter: Sendable {
  /// What has been written, and behind it what is left of the space.
  var target: [UInt8] = []
  /// How many bytes of the space have been written.
  var used = 0
  var needsComma = false
  private var depth = 0

  package init(reservingCapacity capacity: Int = 0) {
    if capacity > 0 { grow(by: capacity) }
  }

  /// A copy of what has been written.
  package var bytes: [UInt8] { Array(target[..<used]) }

  /// What has been written, without a copy of it.
  package consuming func finished() -> [UInt8] {
    target.removeLast(target.count - used)
    return target
  }

  /// How many bytes have been written.
  package var count: Int { used }

  /// Lends what has been written.
  package func withBytes<Answer, Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try unsafe target.withUnsafeBufferPointer { target throws(Failure) in
      try unsafe body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[..<used]))
    }
  }

  /// Forgets what has been written and keeps the space.
  package mutating func reset() {
    used = 0
    needsComma = false
    depth = 0
  }

  /// Forgets what was written behind the first `count` bytes, which end in whole values.
  package mutating func cut(to count: Int) {
    precondition(count <= used, "nothing is there to cut")
    used = count
    needsComma = false
    depth = 0
  }

  package mutating func beginObject() {
    begin(UInt8(ascii: "{"))
  }

  package mutating func endObject() {
    end(UInt8(ascii: "}"))
  }

  package mutating func beginArray() {
    begin(UInt8(ascii: "["))
  }

  package mutating func endArray() {
    end(UInt8(ascii: "]"))
  }

  package mutating func boolean(_ value: Bool) {
    separate()
    append(value ? "true" : "false")
  }

  package mutating func null() {
    separate()
    append("null")
  }

  package mutating func number(_ value: JSONNumber) {
    separate()
    var literal = value.literal
    literal.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
  }

  /// Writes digits that are known to be a JSON number.
  package mutating func number(literal: UnsafeRawBufferPointer) {
    separate()
    unsafe append(literal)
  }

  /// Hands over what has been written, and goes on as if one more value had been.
  ///
  /// So a large value is not copied here: the caller puts it between the parts.
  package mutating func handOver() -> [UInt8] {
    separate()
    let part = bytes
    used = 0
    return part
  }

  /// Writes bytes that are known to be one JSON value.
  package mutating func raw(_ value: [UInt8]) {
    separate()
    unsafe value.withUnsafeBytes { unsafe append($0) }
  }

  /// Writes bytes that are known to be one JSON value.
  package mutating func raw(_ value: UnsafeRawBufferPointer) {
    separate()
    unsafe append(value)
  }

  /// Ends a line of JSON lines.
  package mutating func endLine() {
    precondition(depth == 0, "a line of JSON lines holds whole values")
    append(0x0A)
  }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    append(bracket)
    needsComma = false
    depth += 1
  }

  private mutating func end(_ bracket: UInt8) {
    precondition(depth > 0, "nothing is open")
    append(bracket)
    depth -= 1
    needsComma = depth > 0
  }

  /// Writes the comma that the value before asks for.
  @inline(__always)
  mutating func separate() {
    if needsComma { append(UInt8(ascii: ",")) }
    needsComma = depth > 0
  }
}

// MARK: - Space

extension JSONWriter {
  /// Makes space for `count` bytes more.
  @inline(__always)
  mutating func reserve(_ count: Int) {
    if target.count - used < count { grow(by: count) }
  }

  /// From so many bytes on, the space no longer doubles.
  private static var large: Int { 4 << 20 }

  /// What lies behind the bytes in use means nothing, and is written before it is read.
  @inline(never)
  private mutating func grow(by count: Int) {
    // What is large is seldom followed by more of its size, and each copy of it counts.
    let more = target.count > Self.large ? target.count / 8 : target.count
    let size = max(used + count + min(count / 16, Self.large), target.count + more, 64)
    let used = used
    target = unsafe Array(unsafeUninitializedCapacity: size) { larger, initialized in
      unsafe target.withUnsafeBytes { old in
        unsafe UnsafeMutableRawBufferPointer(larger).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: old[..<used])
        )
      }
      initialized = size
    }
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    target[used] = byte
    used += 1
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    unsafe write(atMost: bytes.count) { target in
      if let start = bytes.baseAddress {
        unsafe target.copyMemory(from: start, byteCount: bytes.count)
      }
      return bytes.count
    }
  }

  @inline(__always)
  private mutating func append(_ word: StaticString) {
    unsafe write(atMost: 8) { target in
      unsafe target.copyMemory(from: word.utf8Start, byteCount: word.utf8CodeUnitCount)
      return word.utf8CodeUnitCount
    }
  }

  /// Lets `body` write at most `count` bytes and say how many it wrote.
  @inline(__always)
  mutating func write(atMost count: Int, _ body: (UnsafeMutableRawPointer) -> Int) {
    reserve(count)
    let start = used
    used += unsafe target.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return unsafe body(base + start)
    }
  }
}

// MARK: - Members

extension JSONWriter {
  /// Writes bytes that are known to be members of the object at hand, with the commas between them.
  package mutating func members(_ members: ArraySlice<UInt8>) {
    guard !members.isEmpty else { return }
    separate()
    unsafe members.withUnsafeBytes { unsafe append($0) }
  }

  /// Writes members of the object at hand in one go.
  ///
  /// `body` is reported whether a comma comes before the first; it puts at most `count` bytes into the
  /// space and gives their count, or `nil`, and then nothing is written and the answer is `false`.
  package mutating func members(
    atMost count: Int,
    _ body: (UnsafeMutableRawPointer, _ needsComma: Bool) -> Int?
  ) -> Bool {
    reserve(count)
    let (start, needsComma) = (used, needsComma)
    let written: Int? = unsafe target.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      return unsafe body(base + start, needsComma)
    }
    guard let written else { return false }
    precondition(written <= count, "more was written than announced")
    used += written
    self.needsComma = true
    return true
  }
}

// MARK: - Names

extension JSONWriter {
  package mutating func name(_ name: String) {
    string(name)
    endName()
  }

  package mutating func name(_ name: StaticString) {
    separate()
    if name.hasPointerRepresentation {
      let utf8 = unsafe UnsafeRawBufferPointer(
        start: name.utf8Start,
        count: name.utf8CodeUnitCount
      )
      unsafe quote(wellFormed: utf8)
    } else {
      quote(name.description)
    }
    endName()
  }

  /// Writes a name that is known to be UTF-8.
  package mutating func name(_ name: [UInt8]) {
    unsafe name.withUnsafeBytes { unsafe self.name(wellFormed: $0) }
  }

  /// A name as ``name(ready:)`` takes it: a comma, the name in quotes, a colon.
  package static func ready(_ name: [UInt8]) -> [UInt8] {
    var writer = JSONWriter()
    writer.append(UInt8(ascii: ","))
    writer.name(name)
    return writer.bytes
  }

  /// Writes a name that ``ready(_:)`` gave.
  package mutating func name(ready name: UnsafeRawBufferPointer) {
    let skipped = needsComma ? 0 : 1
    unsafe append(UnsafeRawBufferPointer(rebasing: name[skipped...]))
    needsComma = false
  }

  package mutating func name(_ name: JSONName) {
    self.name(name.bytes)
  }

  /// Writes a name that the parser has checked.
  mutating func name(wellFormed name: UnsafeRawBufferPointer) {
    separate()
    unsafe quote(wellFormed: name)
    endName()
  }

  private mutating func endName() {
    append(UInt8(ascii: ":"))
    needsComma = false
  }
}
