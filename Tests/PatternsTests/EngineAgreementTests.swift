#if PCRE2
import Foundation
import JSONText
import Patterns
import Testing

/// The two engines beside each other: the same verdict, or none.
struct EngineAgreementTests {
  @Test(arguments: PatternTable.verdicts)
  func `PCRE2 and ICU agree about the table`(pattern: String, text: String, isFound: Bool) throws {
    #expect(try PCRE2Pattern(pattern).matches(text) == isFound)
    let isDecidedByBoth = !PatternTable.refusedByICU.contains { $0.0 == pattern }
    let decided = try expectAgreement(pattern, [text], timeLimit: ICUPattern.longestTime)
    #expect(decided == (isDecidedByBoth ? 1 : 0))
  }

  @Test(arguments: PatternTable.malformed)
  func `PCRE2 and ICU refuse the same syntax for the same reason`(pattern: String) throws {
    let error = try #require(throws: PatternError.self) { try PCRE2Pattern(pattern) }
    #expect(throws: error) { try ICUPattern(pattern) }
  }

  @Test(arguments: 0..<40)
  func `PCRE2 and ICU agree about patterns and texts of any kind`(seed: Int) throws {
    var maker = PatternMaker(state: UInt64(seed) &* 104_729 &+ 7, atoms: Self.atoms)
    var decided = 0
    for number in 0..<60 {
      let body = maker.pattern()
      let source = number % 3 == 0 ? "(a|.)(?:\(body))\\1" : body
      decided += try expectAgreement(source, (0..<20).map { _ in maker.text() }, "seed \(seed)")
    }
    #expect(decided > 600)
  }

  /// Each is followed by a quantifier, which an assertion alone may not be.
  private static let atoms = [
    "(?:\\b)", "(?:\\B)", "(?:^)", "(?:$)", "(?:(?=a))", "(?:(?!b))", "(?:(?<=a))", "(?:(?<!.))",
    "(?:(?<![^🐲]))", "(?:(?<=[^]))", "(?:(?=.*b))", "(?:(?<=\\P{L}))", "\\p{L}", "\\P{L}",
    "[^\\p{L}]", "[\\P{L}a]", "\\s", "\\S", "🐲", "[^🐲]", "[^]", "[]", "[a&&b]", "\\p{C}", "(?:)",
  ]

  @Test func `PCRE2 and ICU agree about every character that both have tables of`() throws {
    let properties = [
      "L", "Lu", "Ll", "Lt", "Lo", "M", "Nd", "N", "P", "S", "Z", "C", "Cn", "LC", "Assigned",
      "Uppercase", "White_Space", "Emoji", "Math", "sc=Latin", "sc=Greek", "sc=Han", "sc=Common",
    ]
    // All of the first, in which most scripts are, and some of the rest.
    let characters = (UInt32(0)...0x10FFFF).filter { $0 < 0x3000 || $0.isMultiple(of: 37) }
      .compactMap(Unicode.Scalar.init).filter { ($0.properties.age?.major ?? .max) <= 14 }
    #expect(characters.count > 10_000)
    for property in properties {
      let source = "\\p{\(property)}"
      let (first, second) = (try PCRE2Pattern(source), try ICUPattern(source))
      for text in characters.map({ String($0) }) {
        let (one, other) = (try first.matches(text), try second.matches(text))
        if one != other { Issue.record("\(source) on \(text.debugDescription)") }
      }
    }
  }

  // MARK: The official suite

  /// Where the official test suite of JSON Schema lies, if the environment says so.
  private static let suite = ProcessInfo.processInfo.environment["FERRY_JSON_SCHEMA_SUITE"]

  @Test(
    .enabled(
      if: suite != nil,
      "skipped: FERRY_JSON_SCHEMA_SUITE does not name the folder of the official suite"
    )
  )
  func `PCRE2 and ICU agree about the patterns and the texts of the official suite`() throws {
    let folder = try #require(Self.suite) + "/tests"
    let names = try #require(FileManager.default.enumerator(atPath: folder))
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".json") }
    var patterns: Set<String> = []
    var decided = 0
    for name in names {
      let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      for group in try #require(JSONValue(parsing: Array(data)).array) {
        let isOfPatterns = name.hasSuffix("/format/regex.json") || name.contains("ecmascript-regex")
        var found = SuiteTexts()
        found.look(at: group, isData: false)
        patterns.formUnion(found.patterns)
        let sources = isOfPatterns ? found.patterns.union(found.texts) : found.patterns
        for source in sources.sorted() {
          decided += try expectAgreement(source, found.texts.sorted(), "\(name)")
        }
      }
    }
    #expect(patterns.count > 30)
    #expect(decided > 300)
  }

  /// Asks both engines, and gives the number of texts on which they have the same verdict.
  private func expectAgreement(
    _ source: String,
    _ texts: [String],
    _ place: String = "",
    timeLimit: Duration = Self.longestTime
  ) throws -> Int {
    let (first, second) = (
      verdict(of: PCRE2Pattern.self, source), verdict(of: ICUPattern.self, source)
    )
    if case .failure(.malformed) = first {
      #expect(second.failure == first.failure, "\(place) \(source)")
    }
    guard let first = try? first.get(), let second = try? second.get() else { return 0 }
    var decided = 0
    let scratch = PatternScratch(timeLimit: timeLimit)
    for text in texts {
      guard let one = Self.verdict(of: first, text, scratch),
        let other = Self.verdict(of: second, text, scratch)
      else { continue }
      #expect(one == other, "\(place) \(source) on \(text.debugDescription)")
      decided += 1
    }
    return decided
  }

  /// Of many patterns ICU gives up most texts, and what it decides at all it decides much sooner.
  private static let longestTime = Duration.milliseconds(5)

  /// Whether the pattern is found in the text; `nil` where the engine gives up.
  private static func verdict(
    of pattern: some PatternEngine,
    _ text: String,
    _ scratch: PatternScratch
  ) -> Bool? {
    unsafe Array(text.utf8).withUnsafeBytes { utf8 in
      try? unsafe pattern.matches(wellFormed: utf8, scratch)
    }
  }

  private func verdict<Engine: PatternEngine>(
    of engine: Engine.Type,
    _ source: String
  ) -> Result<Engine, PatternError> {
    do throws(PatternError) { return .success(try Engine(source)) } catch { return .failure(error) }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

/// The patterns of a group of the suite, and the texts in its data.
private struct SuiteTexts {
  private(set) var patterns: Set<String> = []
  private(set) var texts: Set<String> = []

  mutating func look(at value: JSONValue, isData: Bool) {
    switch value {
    case .null, .boolean, .number: break
    case .string(let text): if isData { texts.insert(text) }
    case .array(let elements): for element in elements { look(at: element, isData: isData) }
    case .object(let object):
      for member in object.members { look(at: member, isData: isData) }
    }
  }

  private mutating func look(at member: JSONObject.Member, isData: Bool) {
    if isData {
      texts.insert(member.name)
    } else if member.name == "pattern", let text = member.value.text {
      patterns.insert(text)
    } else if member.name == "patternProperties", case .object(let object) = member.value {
      patterns.formUnion(object.names)
    }
    look(at: member.value, isData: isData || member.name == "data")
  }
}
#endif
