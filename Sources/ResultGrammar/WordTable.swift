/// What a word may say of a result.
package struct WordClasses: OptionSet, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static let attempts = WordClasses(rawValue: 1 << 0)
  package static let scores = WordClasses(rawValue: 1 << 1)
  package static let solved = WordClasses(rawValue: 1 << 2)
  package static let played = WordClasses(rawValue: 1 << 3)
  package static let lost = WordClasses(rawValue: 1 << 4)
  package static let value = WordClasses(rawValue: 1 << 5)
  package static let documents = WordClasses(rawValue: 1 << 6)
  package static let label = WordClasses(rawValue: 1 << 7)
  package static let otherValues = WordClasses(rawValue: 1 << 8)
  package static let of = WordClasses(rawValue: 1 << 9)
  package static let days = WordClasses(rawValue: 1 << 10)
  package static let levels = WordClasses(rawValue: 1 << 11)
  package static let prose = WordClasses(rawValue: 1 << 12)
  package static let fileEndings = WordClasses(rawValue: 1 << 13)
  package static let countriesAndFiles = WordClasses(rawValue: 1 << 14)
  package static let generic = WordClasses(rawValue: 1 << 15)
  package static let articles = WordClasses(rawValue: 1 << 16)
  package static let weekdays = WordClasses(rawValue: 1 << 17)
  package static let commonHosts = WordClasses(rawValue: 1 << 18)
  package static let averages = WordClasses(rawValue: 1 << 19)
  package static let unused = WordClasses(rawValue: 1 << 20)
  package static let sameGame = WordClasses(rawValue: 1 << 21)
  package static let months = WordClasses(rawValue: 1 << 22)
  package static let negations = WordClasses(rawValue: 1 << 23)
  package static let toSolve = WordClasses(rawValue: 1 << 24)
  package static let today = WordClasses(rawValue: 1 << 25)
  package static let puzzles = WordClasses(rawValue: 1 << 26)
  package static let you = WordClasses(rawValue: 1 << 27)
  package static let invites = WordClasses(rawValue: 1 << 28)
  package static let within = WordClasses(rawValue: 1 << 29)
  package static let platforms = WordClasses(rawValue: 1 << 30)
  package static let secondLevels = WordClasses(rawValue: 1 << 31)
  package static let weakVerbs = WordClasses(rawValue: 1 << 32)
  package static let countries = WordClasses(rawValue: 1 << 33)
  package static let me = WordClasses(rawValue: 1 << 34)
  package static let hostEndings = WordClasses(rawValue: 1 << 35)
  package static let modes = WordClasses(rawValue: 1 << 36)
  package static let solvedPuzzle = WordClasses(rawValue: 1 << 37)
  package static let ownVerb = WordClasses(rawValue: 1 << 38)
  package static let challenges = WordClasses(rawValue: 1 << 39)
  package static let without = WordClasses(rawValue: 1 << 40)
  package static let work = WordClasses(rawValue: 1 << 41)
  package static let quizzes = WordClasses(rawValue: 1 << 42)
  package static let small = WordClasses(rawValue: 1 << 43)
  package static let lengths = WordClasses(rawValue: 1 << 44)
  package static let weeks = WordClasses(rawValue: 1 << 45)

  /// Words before a value that may be that of any game.
  package static let values: WordClasses = [.attempts, .scores, .value]
  /// Words that begin a line and are no game's name.
  package static let labels: WordClasses = [.attempts, .scores, .value, .documents, .label]
  /// Verbs of a player's sentence about a game.
  package static let verbs: WordClasses = [.solved, .played, .lost]

  /// Whether a word is of one of these classes.
  @inline(__always)
  package func has(_ classes: WordClasses) -> Bool { rawValue & classes.rawValue != 0 }
}

/// The classes of words, found by a digest of their characters.
///
/// A word that ends in `*` stands for all that begin with it.
package struct WordTable: Sendable {
  private var slots: [Slot]
  private var letters: [UInt32] = []
  /// The beginnings by the low bits of their first character.
  private var beginnings = [[Slot]](repeating: [], count: Self.beginningCount)

  private struct Slot: Sendable {
    var start: Int32 = 0
    var count: Int32 = 0
    var classes: WordClasses = []
  }

  private static let slotCount = 8192
  private static let beginningCount = 64

  package init(_ lists: [(classes: WordClasses, words: String)]) {
    slots = [Slot](repeating: Slot(), count: Self.slotCount)
    for list in lists {
      for word in list.words.split(whereSeparator: \.isWhitespace) {
        let scalars = word.unicodeScalars.map(\.value)
        if scalars.last == 0x2A {
          addBeginning(Array(scalars.dropLast()), list.classes)
        } else {
          add(scalars, list.classes)
        }
      }
    }
  }

  private mutating func add(_ word: [UInt32], _ classes: WordClasses) {
    let slot = slot(of: word, 0..<word.count)
    if slots[slot].count == 0 {
      slots[slot].start = Int32(letters.count)
      slots[slot].count = Int32(word.count)
      letters += word
    }
    slots[slot].classes.formUnion(classes)
  }

  private mutating func addBeginning(_ word: [UInt32], _ classes: WordClasses) {
    guard let first = word.first else { return }
    let entry = Slot(start: Int32(letters.count), count: Int32(word.count), classes: classes)
    letters += word
    beginnings[Int(first) % Self.beginningCount].append(entry)
  }

  /// The classes of the word in a range of normal text; none for a word that the table lacks.
  package func classes(of text: [UInt32], _ range: Range<Int>) -> WordClasses {
    guard !range.isEmpty, range.count <= 24 else { return [] }
    let slot = slots[slot(of: text, range)]
    var classes: WordClasses = slot.count == 0 ? [] : slot.classes
    for entry in beginnings[Int(Self.small(text[range.lowerBound])) % Self.beginningCount]
    where entry.count <= range.count && isEqual(entry, text, range.lowerBound) {
      classes.formUnion(entry.classes)
    }
    return classes
  }

  /// The slot of a word, or the empty one where it would be.
  private func slot(of text: [UInt32], _ range: Range<Int>) -> Int {
    var digest: UInt32 = 0x811C_9DC5
    for place in range { digest = (digest ^ Self.small(text[place])) &* 0x0100_0193 }
    var slot = Int(digest ^ digest >> 15) & (Self.slotCount - 1)
    while slots[slot].count > 0 {
      if slots[slot].count == range.count, isEqual(slots[slot], text, range.lowerBound) { break }
      slot = (slot + 1) & (Self.slotCount - 1)
    }
    return slot
  }

  private func isEqual(_ slot: Slot, _ text: [UInt32], _ start: Int) -> Bool {
    let first = Int(slot.start)
    for index in 0..<Int(slot.count)
    where letters[first + index] != Self.small(text[start + index]) {
      return false
    }
    return true
  }

  /// The small letter of a capital of the scripts that normal text leaves as they are.
  @inline(__always)
  package static func small(_ scalar: UInt32) -> UInt32 {
    guard scalar >= 0xC0 else { return scalar }
    return switch scalar {
    case 0xC0...0xD6, 0xD8...0xDE, 0x391...0x3A9, 0x410...0x42F: scalar + 32
    case 0x400...0x40F: scalar + 80
    case 0x100...0x137, 0x14A...0x177: scalar | 1
    case 0x139...0x148, 0x179...0x17E: scalar + (scalar & 1)
    default: scalar
    }
  }
}

/// What the words of a name are: letters and apostrophes that are together.
package struct NameWords {
  package private(set) var count = 0
  package private(set) var letters = 0
  package private(set) var first: WordClasses = []
  package private(set) var last: WordClasses = []
  /// Whether every word is a label of a value.
  package private(set) var areLabels = true
  /// What any of the words is.
  package private(set) var any: WordClasses = []
  /// Whether every word leaves a name that of the same game.
  package private(set) var areSame = true

  package init(_ text: [UInt32], _ name: Range<Int>) {
    var place = name.lowerBound
    while place < name.upperBound {
      let start = place
      while place < name.upperBound, Symbols.isLetter(text[place]) || text[place] == 0x27 {
        place += 1
      }
      if place > start { add(GeneralWords.table.classes(of: text, start..<place), place - start) }
      place += 1
    }
  }

  private mutating func add(_ classes: WordClasses, _ length: Int) {
    if count == 0 { first = classes }
    last = classes
    any.formUnion(classes)
    count += 1
    letters += length
    if !classes.has(.labels) { areLabels = false }
    if !classes.has([.sameGame, .weekdays]) { areSame = false }
  }
}
