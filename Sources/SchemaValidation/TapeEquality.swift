import JSONText

/// JSON's equality on the tape: numbers by value, texts by code points, objects in any order.
@unsafe
struct TapeEquality {
  let tape: TapeView

  init(tape: TapeView) {
    unsafe self.tape = tape
  }

  @inline(__always)
  static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var place = 0
    while place + 8 <= left.count {
      guard
        unsafe left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          == right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      else { return false }
      place += 8
    }
    while place < left.count {
      guard unsafe left[place] == right[place] else { return false }
      place += 1
    }
    return true
  }

  /// Whether the value at `index` equals one that is held whole.
  func isEqual(_ index: Int, _ value: JSONValue) -> Bool {
    let entry = unsafe tape[index]
    switch (entry.kind, value) {
    case (.null, .null): return true
    case (.boolean, .boolean(let value)):
      return (entry.flags & EntryFlag.isTrue != 0) == value
    case (.number, .number(let number)):
      return unsafe DecimalForm(tape.raw(at: index)) == number.decimalForm
    case (.string, .string(let text)):
      return unsafe self.text(index).elementsEqual(text.utf8)
    case (.array, .array(let values)):
      guard values.count == Int(entry.length) else { return false }
      var element = index + 1
      for value in values {
        guard unsafe isEqual(element, value) else { return false }
        element = unsafe tape.indexAfter(element)
      }
      return true
    case (.object, .object(let object)):
      guard object.count == Int(entry.length) else { return false }
      var member = index + 1
      while member < Int(entry.link) {
        let name = unsafe String(decoding: tape.name(at: member), as: UTF8.self)
        guard let value = object[name], unsafe isEqual(member + 1, value) else { return false }
        member = unsafe tape.indexAfter(member + 1)
      }
      return true
    default: return false
    }
  }

  /// The unescaped text of a string.
  private func text(_ index: Int) -> [UInt8] {
    let raw = unsafe tape.raw(at: index)
    guard unsafe tape[index].flags & EntryFlag.hasEscapes != 0 else { return unsafe Array(raw) }
    return unsafe Array(unsafeUninitializedCapacity: raw.count) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      count = unsafe JSONEscapes.unescape(raw, to: UnsafeMutableRawPointer(base))
    }
  }

  /// Whether two values of the tape are equal.
  func isEqual(_ left: Int, _ right: Int) -> Bool {
    let (one, other) = unsafe (tape[left], tape[right])
    guard one.kind == other.kind else { return false }
    switch one.kind {
    case .null: return true
    case .boolean: return one.flags == other.flags
    case .number:
      if unsafe Self.areEqual(tape.raw(at: left), tape.raw(at: right)) { return true }
      if one.flags & other.flags & EntryFlag.isPlainInteger != 0,
        one.length > 2 || other.length > 2
      {
        return false
      }
      return unsafe DecimalForm(tape.raw(at: left)) == DecimalForm(tape.raw(at: right))
    case .string:
      if (one.flags | other.flags) & EntryFlag.hasEscapes == 0 {
        return unsafe Self.areEqual(tape.raw(at: left), tape.raw(at: right))
      }
      return unsafe text(left) == text(right)
    case .array:
      guard one.length == other.length else { return false }
      return unsafe areElementsEqual(left, right, one)
    case .object:
      guard one.length == other.length else { return false }
      return unsafe areMembersEqual(left, right, one, other)
    }
  }

  private func areElementsEqual(_ left: Int, _ right: Int, _ entry: JSONTapeEntry) -> Bool {
    var (one, other) = (left + 1, right + 1)
    while one < Int(entry.link) {
      guard unsafe isEqual(one, other) else { return false }
      one = unsafe tape.indexAfter(one)
      other = unsafe tape.indexAfter(other)
    }
    return true
  }

  private func areMembersEqual(
    _ left: Int,
    _ right: Int,
    _ entry: JSONTapeEntry,
    _ otherEntry: JSONTapeEntry
  ) -> Bool {
    var one = left + 1
    while one < Int(entry.link) {
      let fingerprint = unsafe tape[one].link
      var other = right + 1
      while other < Int(otherEntry.link) {
        if unsafe tape[other].link == fingerprint,
          unsafe Self.areEqual(tape.name(at: one), tape.name(at: other))
        {
          break
        }
        other = unsafe tape.indexAfter(other + 1)
      }
      guard other < Int(otherEntry.link), unsafe isEqual(one + 1, other + 1) else { return false }
      one = unsafe tape.indexAfter(one + 1)
    }
    return true
  }

  // MARK: Repetition

  /// The ordinals of two equal elements of an array, or `nil`.
  func repeatedElement(of index: Int) -> (first: Int, second: Int)? {
    let count = unsafe Int(tape[index].length)
    guard count > 1 else { return nil }
    if count > 16 { return unsafe repeatedAmongMany(index, count) }
    var one = index + 1
    for first in 0..<count - 1 {
      var other = unsafe tape.indexAfter(one)
      for second in first + 1..<count {
        if unsafe isEqual(one, other) { return (first, second) }
        other = unsafe tape.indexAfter(other)
      }
      one = unsafe tape.indexAfter(one)
    }
    return nil
  }

  private func repeatedAmongMany(_ index: Int, _ count: Int) -> (first: Int, second: Int)? {
    var seen: [Int: [(ordinal: Int, place: Int)]] = [:]
    seen.reserveCapacity(count)
    var element = index + 1
    for ordinal in 0..<count {
      var hasher = Hasher()
      unsafe hash(element, into: &hasher)
      let key = hasher.finalize()
      for earlier in seen[key, default: []] where unsafe isEqual(earlier.place, element) {
        return (earlier.ordinal, ordinal)
      }
      seen[key, default: []].append((ordinal, element))
      element = unsafe tape.indexAfter(element)
    }
    return nil
  }

  private func hash(_ index: Int, into hasher: inout Hasher) {
    let entry = unsafe tape[index]
    hasher.combine(entry.kind)
    switch entry.kind {
    case .null: break
    case .boolean: hasher.combine(entry.flags & EntryFlag.isTrue)
    case .number: unsafe hasher.combine(DecimalForm(tape.raw(at: index)))
    case .string:
      if entry.flags & EntryFlag.hasEscapes == 0 {
        unsafe hasher.combine(bytes: tape.raw(at: index))
      } else {
        let text = unsafe text(index)
        unsafe text.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
      }
    case .array:
      var element = index + 1
      while element < Int(entry.link) {
        unsafe hash(element, into: &hasher)
        element = unsafe tape.indexAfter(element)
      }
    case .object:
      var combined = 0
      var member = index + 1
      while member < Int(entry.link) {
        var inner = Hasher()
        unsafe inner.combine(bytes: tape.name(at: member))
        unsafe hash(member + 1, into: &inner)
        combined ^= inner.finalize()
        member = unsafe tape.indexAfter(member + 1)
      }
      hasher.combine(combined)
    }
  }
}
