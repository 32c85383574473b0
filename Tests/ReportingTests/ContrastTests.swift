import Foundation
import Reporting
import Testing

/// The text of an HTML report can be read: WCAG 2.2, success criterion 1.4.3.
///
/// https://www.w3.org/TR/WCAG22/#contrast-minimum
struct ContrastTests {
  /// Each colour of the style sheet, by its name.
  private typealias Colours = [String: String]

  private var styleSheet: String {
    let page = ReportForm.html.text(of: SampleReport.report())
    let sheet = page.components(separatedBy: "<style>").dropFirst().first ?? ""
    return sheet.components(separatedBy: "</style>").first ?? ""
  }

  /// The colours of the two schemes; what the dark one does not name it has from the light one.
  private func schemes() throws -> [Colours] {
    let blocks = try styleSheet.components(separatedBy: ":root {").dropFirst().map { text in
      Dictionary(
        try matches("--([a-z]+): (#[0-9a-f]+);", in: String(text.prefix { $0 != "}" }))
          .map { ($0[0], $0[1]) },
        uniquingKeysWith: { _, later in later }
      )
    }
    let light = blocks.first ?? [:]
    return blocks.map { light.merging($0) { _, own in own } }
  }

  /// What the groups of a pattern hold, for each match.
  private func matches(_ pattern: String, in text: String) throws -> [[String]] {
    let pattern = try NSRegularExpression(pattern: pattern)
    let whole = NSRange(text.startIndex..., in: text)
    return pattern.matches(in: text, range: whole).map { match in
      (1..<match.numberOfRanges).compactMap { group in
        Range(match.range(at: group), in: text).map { String(text[$0]) }
      }
    }
  }

  /// How bright a colour is: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance.
  private func luminance(_ colour: String) throws -> Double {
    var digits = colour.dropFirst()
    if digits.count == 3 { digits = Substring(digits.flatMap { [$0, $0] }) }
    let number = try #require(Int(digits, radix: 16), "\(colour)")
    let parts = [number >> 16, number >> 8 & 0xFF, number & 0xFF].map { part in
      let share = Double(part) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  /// How far two colours are apart: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio.
  private func contrast(_ one: String, _ other: String) throws -> Double {
    let (first, second) = (try luminance(one), try luminance(other))
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
  }

  @Test func `black on white has the greatest contrast there is`() throws {
    #expect(abs(try contrast("#000", "#ffffff") - 21) < 0.001)
    #expect(abs(try contrast("#777777", "#fff") - 4.48) < 0.01)
  }

  @Test func `each colour of a text has enough contrast on each background, light and dark`()
    throws
  {
    let sheet = styleSheet
    let backgrounds = Set(try matches("background: var\\(--([a-z]+)\\)", in: sheet).map { $0[0] })
    // A selected filter is the other way round: the paper's colour on the ink's.
    let papers = backgrounds.subtracting(["ink"])
    let inks = Set(try matches("(?:[ {]color|fill): var\\(--([a-z]+)\\)", in: sheet).map { $0[0] })
      .subtracting(["paper"])
    #expect(papers == ["paper", "card"])
    #expect(inks.isSuperset(of: ["ink", "faint", "good", "bad", "open", "quiet"]))
    let schemes = try schemes()
    #expect(schemes.count == 2)
    for (scheme, colours) in zip(["light", "dark"], schemes) {
      for paper in papers {
        for ink in inks {
          let ratio = try contrast(
            #require(colours[ink], "\(ink)"),
            #require(colours[paper], "\(paper)")
          )
          #expect(ratio >= 4.5, "\(scheme): \(ink) on \(paper) has \(ratio)")
        }
      }
    }
  }

  @Test func `no rule has a colour that is not one of the named ones`() throws {
    let rules = try matches("[ {](?:color|background|fill|stroke): ([^;}]+)[;}]", in: styleSheet)
      .map { $0[0].trimmingCharacters(in: .whitespaces) }
    #expect(!rules.isEmpty)
    for rule in rules {
      #expect(rule.hasPrefix("var(--") || ["currentColor", "none"].contains(rule), "\(rule)")
    }
  }
}
