import JSONText

/// JSON's equality on the tape: numbers by value, texts by code points, objects in any order.
@unsafe
struct TapeEquality {
  let tape: TapeView

  init(tape: TapeView) {
    unsafe self.tape = tape
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
    guard one.kindBit == other.kindBit else { return false }
    switch one.kind {
    case .null: return true
    case .boolean: return one.flags == other.flags
    case .number:
      if unsafe NameBytes.areEqual(tape.raw(at: left), tape.raw(at: right)) { return true }
      if one.flags & other.flags & EntryFlag.isPlainInteger != 0,
        one.length > 2 || other.length > 2
      {
        return false
      }
      return unsafe DecimalForm(tape.raw(at: left)) == DecimalForm(tape.raw(at: right))
    case .string:
      if (one.flags | other.flags) & EntryFlag.hasEscapes == 0 {
        return unsafe NameBytes.areEqual(tape.raw(at: left), tape.raw(at: right))
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

  private func areElementsEqual(_ left: Int, _ right: Int, _ entry: TapeEntry) -> Bool {
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
    _ entry: TapeEntry,
    _ otherEntry: TapeEntry
  ) -> Bool {
    var one = left + 1
    while one < Int(entry.link) {
      let fingerprint = unsafe tape[one].link
      var other = right + 1
      while other < Int(otherEntry.link) {
        if unsafe tape[other].link == fingerprint,
          unsafe NameBytes.areEqual(tape.name(at: one), tape.name(at: other))
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
    return unsafe withUnsafeTemporaryAllocation(of: Place.self, capacity: count) { places in
      unsafe repeatedAmongFew(index, places)
    }
  }

  /// An element and a number that equal elements share.
  private struct Place {
    var index: Int
    var likeness: UInt32
  }

  private func repeatedAmongFew(
    _ index: Int,
    _ places: UnsafeMutableBufferPointer<Place>
  ) -> (first: Int, second: Int)? {
    var element = index + 1
    var repeated: (first: Int, second: Int)?
    for ordinal in 0..<places.count {
      let place = unsafe Place(index: element, likeness: likeness(of: element))
      unsafe places.initializeElement(at: ordinal, to: place)
      for earlier in 0..<ordinal
      where unsafe places[earlier].likeness == place.likeness
        && isEqual(places[earlier].index, element)
      {
        // The pair whose first element comes first is the one to report.
        if repeated.map({ earlier < $0.first }) ?? true { repeated = (earlier, ordinal) }
      }
      element = unsafe tape.indexAfter(element)
    }
    return repeated
  }

  /// A number that equal values share, made from what is quick to read.
  private func likeness(of index: Int) -> UInt32 {
    let entry = unsafe tape[index]
    let kind = UInt32(entry.kindBit)
    switch entry.kindBit {
    case KindBit.string:
      if entry.flags & EntryFlag.hasEscapes == 0 {
        return unsafe NameBytes.fingerprint(of: tape.raw(at: index))
      }
      let text = unsafe text(index)
      return unsafe text.withUnsafeBytes { unsafe NameBytes.fingerprint(of: $0) }
    case KindBit.object:
      var sum = entry.length &* 64 &+ kind
      var member = index &+ 1
      while member < Int(entry.link) {
        let value = unsafe tape[member &+ 1]
        let isContainer = value.kindBit & KindBit.container != 0
        let own = unsafe isContainer ? UInt32(value.length) : likeness(of: member &+ 1)
        sum &+= unsafe (tape[member].link | 1) &* (own &+ 0x9E37_79B9)
        member = unsafe tape.indexAfter(member &+ 1)
      }
      return sum
    case KindBit.array: return entry.length &* 64 &+ kind
    default: return kind
    }
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
