/// Host names, plain and international.
///
/// https://www.rfc-editor.org/rfc/rfc1123#section-2.1 and https://www.rfc-editor.org/rfc/rfc5890
enum Hostname {
  /// Whether `text` is a host name of letters, digits and hyphens; A-labels must be real ones.
  static func accepts(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count > 0, text.count <= 253 else { return false }
    var start = 0
    var isASCII = true
    for index in 0...text.count where unsafe index == text.count || text[index] == 0x2E {
      let label = unsafe UnsafeRawBufferPointer(rebasing: text[start..<index])
      isASCII = unsafe isASCII && acceptsLabel(label)
      start = index + 1
    }
    return isASCII
  }

  private static func acceptsLabel(_ label: UnsafeRawBufferPointer) -> Bool {
    guard label.count > 0, label.count <= 63, unsafe label[0] != 0x2D,
      unsafe label[label.count - 1] != 0x2D
    else { return false }
    for index in 0..<label.count {
      let byte = unsafe label[index]
      guard ByteReader.isLetter(byte) || ByteReader.isDigit(byte) || byte == 0x2D else {
        return false
      }
    }
    guard label.count >= 4, unsafe label[2] == 0x2D, unsafe label[3] == 0x2D else { return true }
    guard unsafe label[0] | 0x20 == 0x78, unsafe label[1] | 0x20 == 0x6E else { return false }
    return unsafe InternationalLabel.acceptsEncoded(Array(label.dropFirst(4)))
  }

  /// Whether `text` is a host name whose labels may be U-labels.
  static func acceptsInternational(_ text: UnsafeRawBufferPointer) -> Bool {
    let scalars = unsafe String(decoding: text, as: UTF8.self).unicodeScalars
    let labels = scalars.split(omittingEmptySubsequences: false) { scalar in
      scalar == "." || scalar == "\u{3002}" || scalar == "\u{FF0E}" || scalar == "\u{FF61}"
    }
    var length = labels.count - 1
    for label in labels {
      guard let encodedLength = encodedLength(Array(label)) else { return false }
      length += encodedLength
    }
    return length <= 253
      && (labels.count == 1 || InternationalLabel.obeyBidiRule(labels.map(Array.init)))
  }

  /// The length of a label as it would be sent, or `nil` when it is not one.
  private static func encodedLength(_ label: [UnicodeScalar]) -> Int? {
    if label.allSatisfy(\.isASCII) {
      let bytes = label.map { UInt8(truncatingIfNeeded: $0.value) }
      return unsafe bytes.withUnsafeBytes { unsafe acceptsLabel($0) } ? bytes.count : nil
    }
    guard InternationalLabel.accepts(label), let encoded = Punycode.encode(label) else {
      return nil
    }
    return encoded.count + 4 <= 63 ? encoded.count + 4 : nil
  }
}

/// The encoding of international labels as letters and digits.
///
/// https://www.rfc-editor.org/rfc/rfc3492
enum Punycode {
  private static let (base, tMin, tMax, skew, damp) = (36, 1, 26, 38, 700)

  static func decode(_ bytes: [UInt8]) -> [UnicodeScalar]? {
    var output: [UInt32] = []
    var rest = bytes[...]
    if let hyphen = bytes.lastIndex(of: 0x2D) {
      output = bytes[..<hyphen].map(UInt32.init)
      rest = bytes[(hyphen + 1)...]
    }
    var (code, index, bias) = (128, 0, 72)
    while !rest.isEmpty {
      let before = index
      var (weight, step) = (1, base)
      while true {
        guard let byte = rest.popFirst(), let digit = digit(byte) else { return nil }
        index += digit * weight
        guard index < 1 << 40 else { return nil }
        let threshold = max(tMin, min(tMax, step - bias))
        if digit < threshold { break }
        weight *= base - threshold
        guard weight < 1 << 40 else { return nil }
        step += base
      }
      bias = adapt(index - before, output.count + 1, isFirst: before == 0)
      code += index / (output.count + 1)
      index %= output.count + 1
      guard code <= 0x10FFFF else { return nil }
      output.insert(UInt32(code), at: index)
      index += 1
    }
    let scalars = output.compactMap(UnicodeScalar.init)
    return scalars.count == output.count ? scalars : nil
  }

  static func encode(_ label: [UnicodeScalar]) -> [UInt8]? {
    var output = label.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
    let basicCount = output.count
    var handled = basicCount
    if basicCount > 0 { output.append(0x2D) }
    var (code, delta, bias) = (128, 0, 72)
    while handled < label.count {
      guard let next = label.map({ Int($0.value) }).filter({ $0 >= code }).min() else { return nil }
      delta += (next - code) * (handled + 1)
      code = next
      for scalar in label.map({ Int($0.value) }) {
        if scalar < code { delta += 1 }
        guard scalar == code else { continue }
        appendDigits(delta, bias, to: &output)
        bias = adapt(delta, handled + 1, isFirst: handled == basicCount)
        delta = 0
        handled += 1
      }
      delta += 1
      code += 1
    }
    return output
  }

  private static func appendDigits(_ delta: Int, _ bias: Int, to output: inout [UInt8]) {
    var (rest, step) = (delta, base)
    while true {
      let threshold = max(tMin, min(tMax, step - bias))
      if rest < threshold { break }
      output.append(letter(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      step += base
    }
    output.append(letter(rest))
  }

  private static func adapt(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var step = 0
    while delta > (base - tMin) * tMax / 2 {
      delta /= base - tMin
      step += base
    }
    return step + (base - tMin + 1) * delta / (delta + skew)
  }

  private static func digit(_ byte: UInt8) -> Int? {
    if ByteReader.isLetter(byte) { return Int(byte | 0x20) - 0x61 }
    return ByteReader.isDigit(byte) ? Int(byte) - 0x30 + 26 : nil
  }

  private static func letter(_ digit: Int) -> UInt8 {
    UInt8(digit < 26 ? digit + 0x61 : digit - 26 + 0x30)
  }
}
