import Foundation
import Testing

/// The pages about apps say what the profiles say.
struct AppPageTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let pages = [
    ("InfiniteStories", ["infinite-stories/profile.yaml", "infinite-stories/later.profile.yaml"]),
    ("StreakSync", ["streaksync/profile.yaml", "streaksync/cloudkit.profile.yaml"]),
    ("Peated", ["peated/profile.yaml", "peated/sqlite.profile.yaml"]),
    ("Noted", ["noted/profile.yaml", "noted/mac.profile.yaml"]),
  ]

  /// Where the page of an app lies, from the project's root.
  private static func place(of app: String) -> String {
    let sample = pages.first { $0.0 == app }?.1.first ?? app
    return "Samples/\(sample.prefix { $0 != "/" })/CARRIED.md"
  }

  private static func page(of app: String) -> URL {
    root.appendingPathComponent(place(of: app))
  }

  /// The names that are two spaces below `entities:`, or what `from:` says of them.
  private static func entities(of profile: String) throws -> [String] {
    let text = try String(
      contentsOf: root.appendingPathComponent("Samples/\(profile)"),
      encoding: .utf8
    )
    var names: [String] = []
    var isInside = false
    for line in text.split(separator: "\n") {
      if !line.hasPrefix(" "), !line.hasPrefix("#") { isInside = line.hasPrefix("entities:") }
      guard isInside, line.hasPrefix("  "), !line.hasPrefix("  #") else { continue }
      let words = line.split(separator: " ")
      if !line.hasPrefix("   "), let name = words.first?.dropLast() {
        names.append(String(name))
      } else if line.hasPrefix("    from:"), words.count > 1 {
        names[names.count - 1] = String(words[1])
      }
    }
    return names
  }

  // 001-64.
  @Test(arguments: pages.map(\.0))
  func `the page of an app names every entity of its profiles`(app: String) throws {
    let page = try String(
      contentsOf: Self.page(of: app),
      encoding: .utf8
    )
    let profiles = try #require(Self.pages.first { $0.0 == app }).1
    for profile in profiles {
      let names = try Self.entities(of: profile)
      #expect(names.count > 1)
      // Results and streaks are found under the keys that hold them.
      for name in names { #expect(page.contains("`\(name)`"), "\(profile) has \(name)") }
    }
  }

  @Test(arguments: pages.map(\.0))
  func `the page of an app lists the carried data, the data left out and the deciding rules`(
    app: String
  ) throws {
    let page = try String(
      contentsOf: Self.page(of: app),
      encoding: .utf8
    )
    for heading in ["What is carried", "What is left, and why", "Which policy decides what"] {
      #expect(page.contains("## \(heading)\n"))
    }
    let front = try String(
      contentsOf: Self.root.appendingPathComponent("README.md"),
      encoding: .utf8
    )
    #expect(front.contains("(\(Self.place(of: app)))"))
  }

  /// Whatever opens such a store and closes it takes its log away.
  @Test(
    arguments: [
      "infinite-stories/default.store", "infinite-stories/later.store", "noted/Noted.sqlite",
      "peated/peated.sqlite3",
    ]
  )
  func `a sample store has its write-ahead log beside it`(store: String) throws {
    let log = Self.root.appendingPathComponent("Samples/\(store)-wal")
    #expect(try !Data(contentsOf: log).isEmpty)
  }
}
