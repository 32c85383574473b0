import JSONText
import Patterns
import StringFormats

extension SchemaEvaluator {
  // MARK: Strings

  /// The unescaped text of the string or name at `index`; good until the next text is asked for.
  @inline(__always)
  func textBytes(_ entry: TapeEntry, _ index: Int) -> UnsafeRawBufferPointer {
    if entry.flags & (EntryFlag.hasEscapes | EntryFlag.isInScratch) == 0 {
      return unsafe tape.raw(at: index)
    }
    if entry.flags & EntryFlag.isInScratch != 0 { return unsafe tape.name(at: index) }
    return unsafe text.unescaped(tape.raw(at: index))
  }

  func checkString(_ number: Int32, _ entry: TapeEntry, _ index: Int) -> Bool {
    let rule = unsafe program.strings + Int(number)
    guard unsafe hasLength(rule, entry, index) else { return false }
    let (pattern, format) = unsafe (rule.pointee.pattern, rule.pointee.format)
    let content = unsafe rule.pointee.content
    guard pattern >= 0 || format >= 0 || content != .anything else { return true }
    let text = unsafe textBytes(entry, index)
    if pattern >= 0, unsafe !finds(pattern, text) { return false }
    if content != .anything, unsafe content.fault(in: text) != nil { return false }
    return unsafe format < 0 || program.formats[Int(format)].accepts(text)
  }

  /// Whether the pattern is found.
  ///
  /// One that cannot be decided is given up, and so is every later one of this value: its verdict is
  /// no longer asked for, because ``isValid(_:_:)`` gives none without all of its patterns.
  @inline(__always)
  func finds(_ pattern: Int32, _ text: UnsafeRawBufferPointer) -> Bool {
    unsafe program.patterns[Int(pattern)]._withUnsafeGuaranteedRef { pattern in
      guard !scratch.hasGivenUp else { return false }
      do throws(PatternError) {
        return unsafe try pattern.matches(wellFormed: text, scratch)
      } catch {
        scratch.giveUp()
        return false
      }
    }
  }

  /// Whether the count of characters is within the bounds.
  @inline(__always)
  private func hasLength(
    _ rule: UnsafePointer<StringRule>,
    _ entry: TapeEntry,
    _ index: Int
  ) -> Bool {
    let count = Int64(characterCount(entry, index))
    return unsafe count >= rule.pointee.minimumLength && count <= rule.pointee.maximumLength
  }

  /// The count of code points in a string or a name; the tape holds that of a string.
  @inline(__always)
  func characterCount(_ entry: TapeEntry, _ index: Int) -> Int {
    guard entry.flags & EntryFlag.isName != 0 else { return Int(entry.link) }
    return unsafe tape.name(at: index).count { $0 & 0xC0 != 0x80 }
  }

  // MARK: Values

  /// Whether the value is one of a rule's.
  func hasValue(_ number: Int32, _ entry: TapeEntry, _ index: Int) -> Bool {
    let rule = unsafe program.valueRules + Int(number)
    switch entry.kindBit {
    case KindBit.string:
      let slots = unsafe rule.pointee.slots
      guard slots >= 0 else { return false }
      let text = unsafe textBytes(entry, index)
      let fingerprint = unsafe NameBytes.fingerprint(of: text)
      return unsafe slot(slots, rule.pointee.slotMask, text, fingerprint) >= 0
    case KindBit.boolean:
      let isTrue = entry.flags & EntryFlag.isTrue != 0
      return unsafe isTrue ? rule.pointee.hasTrue : rule.pointee.hasFalse
    case KindBit.null: return unsafe rule.pointee.hasNull
    default:
      return unsafe !rule.pointee.hasOnlyTexts && hasOtherValue(rule.pointee, index)
    }
  }

  /// Whether the number, array or object at `index` is one of a rule's values.
  private func hasOtherValue(_ rule: ValueRule, _ index: Int) -> Bool {
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
        unsafe NameBytes.areEqual(program.names[Int(slots[place].name)], name)
      {
        return Int(start) &+ place
      }
      place = (place &+ 1) & Int(mask)
    }
    return -1
  }

  // MARK: Numbers

  func checkNumber(_ number: Int32, _ entry: TapeEntry, _ index: Int) -> Bool {
    let rule = unsafe program.numbers[Int(number)]
    let isPlain = entry.flags & EntryFlag.isPlainInteger != 0
    let value = unsafe ShortNumber(tape.raw(at: index), isPlain: isPlain)
    return (rule.minimum < 0 || compare(value, index, rule.minimum) >= 0)
      && (rule.maximum < 0 || compare(value, index, rule.maximum) <= 0)
      && (rule.exclusiveMinimum < 0 || compare(value, index, rule.exclusiveMinimum) > 0)
      && (rule.exclusiveMaximum < 0 || compare(value, index, rule.exclusiveMaximum) < 0)
      && (rule.multipleOf < 0 || isMultiple(value, index, rule.multipleOf))
  }

  @inline(__always)
  private func compare(_ value: ShortNumber, _ index: Int, _ number: Int32) -> Int {
    value.order(unsafe program.bounds[Int(number)]) ?? compare(index, number)
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

  @inline(__always)
  private func isMultiple(_ value: ShortNumber, _ index: Int, _ number: Int32) -> Bool {
    value.isMultiple(of: unsafe program.bounds[Int(number)]) ?? isMultiple(index, number)
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
