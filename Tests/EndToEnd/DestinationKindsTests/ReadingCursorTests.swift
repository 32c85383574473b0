import DestinationModel
import JSONText
import REST
import Records
import Synchronization
import Testing
import UploadPlanning

/// From where changes are asked for the next time, at a destination whose answers have no mark of
/// their own, while others are at work there.
struct ReadingCursorTests {
  /// Heroes with the number of their last change, at a server that lists those after a number by name.
  private final class Heroes: Sendable {
    private let versions: Mutex<[String: Int64]>

    init(_ count: Int64) {
      versions = Mutex(Dictionary(uniqueKeysWithValues: (1...count).map { ("h\($0)", $0) }))
    }

    /// Gives a hero the number that follows all others.
    func change(_ name: String) {
      versions.withLock { $0[name] = ($0.values.max() ?? 0) + 1 }
    }

    func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
      let since = Self.number("updatedAfter", request) ?? 0
      let offset = Int(Self.number("offset", request) ?? 0)
      let limit = Int(Self.number("limit", request) ?? 1)
      let list = versions.withLock { versions in
        versions.filter { $0.value > since }.sorted { $0.key < $1.key }
      }
      let rows = list.dropFirst(offset).prefix(limit).map { name, version -> JSONValue in
        ["id": .string(name), "updatedAt": .number(JSONNumber(version))]
      }
      let hasMore = offset + rows.count < list.count
      return .json([
        "data": ["heroes": .array(rows), "pagination": ["hasMore": .boolean(hasMore)]]
      ])
    }

    private static func number(_ name: String, _ request: ScriptedServer.Request) -> Int64? {
      let query = request.target.split(separator: "?").last ?? ""
      let pair = query.split(separator: "&").first { $0.hasPrefix("\(name)=") }
      return pair.flatMap { Int64($0.dropFirst(name.count + 1)) }
    }
  }

  /// What one reading from its first page to its last came by.
  private struct Reading {
    var ids: Set<String> = []
    var pageCount = 0
    var mark: String?
  }

  /// Reads all pages, and has `between` happen after each of them.
  private func read(
    _ destination: RESTDestination,
    since: String? = nil,
    between: (_ pageCount: Int) -> Void = { _ in }
  ) async throws -> Reading {
    var reading = Reading()
    var place: String?
    repeat {
      let page = try await destination.page(of: "Hero", after: place, since: since)
      reading.ids.formUnion(page.records.map(\.serverID))
      reading.pageCount += 1
      reading.mark = page.mark
      place = page.next
      between(reading.pageCount)
    } while place != nil
    return reading
  }

  @Test(arguments: ["h3", "h4"])
  func `a change after a reading is found by the next one`(
    later: String
  ) async throws {
    let heroes = Heroes(4)
    try await withScript({ heroes.answer($0) }) { destination, _ in
      let first = try await read(destination) { pageCount in
        guard pageCount == 1 else { return }
        heroes.change("h1")
        heroes.change(later)
      }
      #expect(first.ids == ["h1", "h2", "h3", "h4"])
      #expect(first.pageCount > 1)
      let second = try await read(destination, since: first.mark)
      #expect(second.ids.contains("h1"))
    }
  }

  @Test func `a change on the first page of changes is found by the next reading`()
    async throws
  {
    let heroes = Heroes(4)
    try await withScript({ heroes.answer($0) }) { destination, _ in
      let first = try await read(destination)
      for name in ["h2", "h3", "h4"] { heroes.change(name) }
      let second = try await read(destination, since: first.mark) { pageCount in
        guard pageCount == 1 else { return }
        heroes.change("h2")
        heroes.change("h4")
      }
      #expect(second.pageCount > 1)
      let third = try await read(destination, since: second.mark)
      #expect(third.ids.contains("h2"))
    }
  }

  // The names were given in the order of the changes, so that the last ones come last.
  @Test func `fewer rows at the end of a list are listed by each further reading`() async throws {
    let heroes = Heroes(7)
    try await withScript({ heroes.answer($0) }) { destination, _ in
      var mark = try await read(destination).mark
      var counts: [Int] = []
      while true {
        let reading = try await read(destination, since: mark)
        guard let next = reading.mark else { break }
        counts.append(reading.ids.count)
        mark = next
        try #require(counts.count < 10)
      }
      #expect(counts == [5, 3, 1])
    }
  }
}
