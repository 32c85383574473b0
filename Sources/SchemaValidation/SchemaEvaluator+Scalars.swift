import JSONText
import Patterns

extension SchemaEvaluator {
  // MARK: Strings

  /// The unescaped text of the string or name at `index`; good until the next text is asked for.
  @inline(__always)
  func textBytes(_ entry: JSONTapeEntry, _ index: Int) -> UnsafeRawBufferPointer {
    if entry.flags & (EntryFlag.hasEscapes | EntryFlag.isAside) == 0 {
      return unsafe tape.raw(at: index)
    }
    if entry.flags & EntryFlag.isAside != 0 { return unsafe tape.name(at: index) }
    return unsafe text.unescaped(tape.raw(at: index))
  }

  func checkString(_ number: Int32, _ entry: JSONTapeEntry, _ index: Int) -> Bool {
    let rule = unsafe program.strings[Int(number)]
    guard hasLength(rule, entry, index) else { return false }
    if rule.pattern >= 0,
      unsafe !finds(rule.pattern, textBytes(entry, index))
    {
      return false
    }
    if rule.content != .anything, unsafe rule.content.fault(in: textBytes(entry, index)) != nil {
      return false
    }
    guard rule.format >= 0 else { return true }
    return unsafe program.formats[Int(rule.format)].accepts(textBytes(entry, index))
  }

  /// Whether the pattern is found; not, when that takes too many steps.
  func finds(_ pattern: Int32, _ text: UnsafeRawBufferPointer) -> Bool {
    unsafe program.patterns[Int(pattern)]._withUnsafeGuaranteedRef { pattern in
      do throws(PatternError) {
        return unsafe try pattern.matches(wellFormed: text, scratch)
      } catch {
        return false
      }
    }
  }

  /// Whether the count of characters is within the bounds, counted only when bytes do not tell.
  @inline(__always)
  private func hasLength(_ rule: StringRule, _ entry: JSONTapeEntry, _ index: Int) -> Bool {
    let bytes = Int64(entry.length)
    if bytes < rule.minimumLength { return false }
    let least = entry.flags & EntryFlag.hasEscapes != 0 ? (bytes + 11) / 12 : (bytes + 3) / 4
    if bytes <= rule.maximumLength && least >= rule.minimumLength { return true }
    if least > rule.maximumLength { return false }
    let count = Int64(characterCount(entry, index))
    return count >= rule.minimumLength && count <= rule.maximumLength
  }

  /// The count of code points in a string.
  func characterCount(_ entry: JSONTapeEntry, _ index: Int) -> Int {
    let marks = EntryFlag.hasEscapes | EntryFlag.hasNonASCII
    if entry.flags & marks == 0 { return Int(entry.length) }
    let bytes =
      unsafe entry.flags & EntryFlag.isAside == 0 ? tape.raw(at: index) : tape.name(at: index)
    let escaped =
      unsafe entry.flags & marks & EntryFlag.hasEscapes == 0
      || entry.flags & EntryFlag.isAside != 0 ? 0 : Self.escapedBytes(bytes)
    return unsafe bytes.count - Self.continuations(bytes) - escaped
  }

  /// How many bytes the escapes of a string take beyond one for each character they stand for.
  private static func escapedBytes(_ bytes: UnsafeRawBufferPointer) -> Int {
    let slashes: UInt64 = 0x5C5C_5C5C_5C5C_5C5C
    var surplus = 0
    var place = 0
    while place < bytes.count {
      if place + 8 <= bytes.count {
        let loaded = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        let word = UInt64(littleEndian: loaded) ^ slashes
        let found = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
        if found == 0 {
          place += 8
          continue
        }
        place += found.trailingZeroBitCount >> 3
      } else if unsafe bytes[place] != 0x5C {
        place += 1
        continue
      }
      guard unsafe bytes[place + 1] == UInt8(ascii: "u") else {
        surplus += 1
        place += 2
        continue
      }
      // The second half of a surrogate pair, \uDC00 to \uDFFF, is no character of its own.
      let isTrail =
        unsafe bytes[place + 2] | 0x20 == UInt8(ascii: "d") && bytes[place + 3] | 0x20 >= 0x63
      surplus += isTrail ? 6 : 5
      place += 6
    }
    return surplus
  }

  private static func continuations(_ bytes: UnsafeRawBufferPointer) -> Int {
    var continuations = 0
    var place = 0
    while place + 8 <= bytes.count {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      continuations += (word >> 7 & ~(word >> 6) & 0x0101_0101_0101_0101).nonzeroBitCount
      place += 8
    }
    while place < bytes.count {
      if unsafe bytes[place] & 0xC0 == 0x80 { continuations += 1 }
      place += 1
    }
    return continuations
  }

  // MARK: Values

  /// Whether the value is one of a rule's.
  func hasValue(_ number: Int32, _ entry: JSONTapeEntry, _ index: Int) -> Bool {
    let rule = unsafe program.valueRules[Int(number)]
    if entry.kindBit == KindBit.string {
      guard rule.slots >= 0 else { return false }
      let text = unsafe textBytes(entry, index)
      let slot = unsafe slot(rule.slots, rule.slotMask, text, JSONName.fingerprint(of: text))
      return slot >= 0
    }
    if rule.hasOnlyTexts { return false }
    for offset in 0..<Int(rule.values.count) {
      let value = program.values[Int(rule.values.start) + offset]
      if unsafe TapeEquality(tape: tape).isEqual(index, value) { return true }
    }
    return false
  }

  /// The index of the slot that holds `name`, or -1.
  @inline(__always)
  func slot(
    _ start: Int32,
    _ mask: UInt32,
    _ name: UnsafeRawBufferPointer,
    _ fingerprint: UInt32
  ) -> Int {
    let slots = unsafe program.slots + Int(start)
    var place = Int(fingerprint & mask)
    while unsafe slots[place].name >= 0 {
      if unsafe slots[place].fingerprint == fingerprint,
        unsafe TapeEquality.areEqual(program.names[Int(slots[place].name)], name)
      {
        return Int(start) + place
      }
      place = (place + 1) & Int(mask)
    }
    return -1
  }

  // MARK: Numbers

  func checkNumber(_ number: Int32, _ entry: JSONTapeEntry, _ index: Int) -> Bool {
    let rule = unsafe program.numbers[Int(number)]
    return (rule.minimum < 0 || compare(index, rule.minimum) >= 0)
      && (rule.maximum < 0 || compare(index, rule.maximum) <= 0)
      && (rule.exclusiveMinimum < 0 || compare(index, rule.exclusiveMinimum) > 0)
      && (rule.exclusiveMaximum < 0 || compare(index, rule.exclusiveMaximum) < 0)
      && (rule.multipleOf < 0 || isMultiple(index, rule.multipleOf))
  }

  /// Orders the number at `index` against a bound: negative, zero or positive.
  func compare(_ index: Int, _ number: Int32) -> Int {
    let bound = unsafe program.bounds[Int(number)]
    let entry = unsafe tape[index]
    let digits = unsafe tape.raw(at: index)
    if bound.isInteger, entry.flags & EntryFlag.isPlainInteger != 0, entry.length <= 18 {
      let value = unsafe JSONDigits.integer(digits)
      return value < bound.integer ? -1 : value == bound.integer ? 0 : 1
    }
    if let value = unsafe JSONDigits.double(digits), !bound.double.isNaN {
      // Doubles decide when they are clearly apart; the digits do when they are not.
      let slack = (value.magnitude + bound.double.magnitude) * 1e-14
      if value < bound.double - slack { return -1 }
      if value > bound.double + slack { return 1 }
    }
    guard let left = unsafe DecimalForm(digits),
      let right = program.literals[Int(bound.literal)].decimalForm
    else { return 0 }
    return left < right ? -1 : left == right ? 0 : 1
  }

  func isInteger(_ index: Int) -> Bool {
    unsafe DecimalForm(tape.raw(at: index))?.isInteger ?? false
  }

  func isMultiple(_ index: Int, _ number: Int32) -> Bool {
    let bound = unsafe program.bounds[Int(number)]
    let entry = unsafe tape[index]
    let digits = unsafe tape.raw(at: index)
    if bound.isInteger, entry.flags & EntryFlag.isPlainInteger != 0, entry.length <= 18 {
      return unsafe JSONDigits.integer(digits) % bound.integer == 0
    }
    guard let value = unsafe DecimalForm(digits),
      let divisor = program.literals[Int(bound.literal)].decimalForm
    else { return false }
    return Self.isMultiple(value, of: divisor)
  }

  /// Whether `value` is a whole number of times `divisor`, by their digits.
  private static func isMultiple(_ value: DecimalForm, of divisor: DecimalForm) -> Bool {
    guard !value.digits.isEmpty else { return true }
    let shift = value.exponent - divisor.exponent
    // The last digit of `value` is not zero, so ten times anything cannot divide it.
    guard shift >= 0, divisor.digits.count <= 18 else { return false }
    let modulus = divisor.digits.reduce(0 as UInt64) { $0 * 10 + UInt64($1) }
    var rest: UInt64 = 0
    for digit in value.digits {
      rest = times(rest, 10, modulus)
      rest = (rest + UInt64(digit)) % modulus
    }
    var power = shift
    var factor = 10 % modulus
    while power > 0 {
      if power & 1 == 1 { rest = times(rest, factor, modulus) }
      factor = times(factor, factor, modulus)
      power >>= 1
    }
    return rest == 0
  }

  private static func times(_ left: UInt64, _ right: UInt64, _ modulus: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return modulus.dividingFullWidth((product.high % modulus, product.low)).remainder
  }
}
