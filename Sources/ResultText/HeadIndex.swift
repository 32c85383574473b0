/// The heads of all forms, found by the characters they begin with.
///
/// The first two characters choose a bucket, and the whole literal beginning of a head is compared
/// before its pattern is run: of a catalogue of any size only heads that may fit are tried.
struct HeadIndex: Sendable {
  /// Where each bucket begins among the entries; one more for the end.
  private let starts: [Int32]
  private let isUsed: [Bool]
  private let entries: [Entry]
  private let literals: [UInt32]

  private struct Entry: Sendable {
    let head: Int32
    /// The third character; zero where white space is among the first three, or none follows.
    let third: UInt32
    let literalStart: Int32
    let literalEnd: Int32
  }

  private static let bucketCount = 4096

  /// Takes the literal beginnings of the heads, white space as one space.
  init(_ triggers: [[UInt32]]) {
    var buckets = [[Entry]](repeating: [], count: Self.bucketCount)
    var literals: [UInt32] = []
    for (head, trigger) in triggers.enumerated() {
      let start = literals.count
      literals += trigger
      buckets[Self.bucket(trigger[0], trigger[1])].append(
        Entry(
          head: Int32(head),
          third: trigger.count > 2 && !trigger[..<3].contains(0x20) ? trigger[2] : 0,
          literalStart: Int32(start),
          literalEnd: Int32(literals.count)
        )
      )
    }
    var starts: [Int32] = [0]
    for bucket in buckets { starts.append((starts.last ?? 0) + Int32(bucket.count)) }
    self.starts = starts
    isUsed = buckets.map { !$0.isEmpty }
    entries = buckets.flatMap(\.self)
    self.literals = literals
  }

  private static func bucket(_ first: UInt32, _ second: UInt32) -> Int {
    Int((first &* 0x9E37_79B1 &+ second &* 0x85EB_CA6B) >> 20)
  }

  /// Whether any head may begin with these two characters.
  @inline(__always)
  func mayBegin(_ first: UInt32, _ second: UInt32) -> Bool {
    isUsed[Self.bucket(first, second == 0x0A ? 0x20 : second)]
  }

  /// The entries whose heads may begin with these two characters.
  func candidates(_ first: UInt32, _ second: UInt32) -> Range<Int> {
    let bucket = Self.bucket(first, second == 0x0A ? 0x20 : second)
    return Int(starts[bucket])..<Int(starts[bucket + 1])
  }

  /// The head of an entry, when its literal beginning is at `place`.
  func head(_ entry: Int, in text: [UInt32], at place: Int, before limit: Int) -> Int? {
    let found = entries[entry]
    if found.third != 0, place + 2 >= limit || text[place + 2] != found.third { return nil }
    var place = place
    for index in Int(found.literalStart)..<Int(found.literalEnd) {
      guard place < limit else { return nil }
      let literal = literals[index]
      if literal == 0x20 {
        guard Self.isSpace(text[place]) else { return nil }
        while place < limit, Self.isSpace(text[place]) { place += 1 }
      } else {
        guard text[place] == literal else { return nil }
        place += 1
      }
    }
    return Int(found.head)
  }

  private static func isSpace(_ scalar: UInt32) -> Bool { scalar == 0x20 || scalar == 0x0A }
}
