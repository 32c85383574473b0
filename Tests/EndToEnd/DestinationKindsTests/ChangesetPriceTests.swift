import Changeset
import DestinationModel
import Foundation
import JSONText
import Records
import Synchronization
import Testing
import UploadPlanning

/// How often everything is read at a backend that keeps the dates that rows are pushed with.
struct ChangesetPriceTests {
  /// Rows and a clock, which goes a second further with each request.
  private final class TagServer: Sendable {
    private struct State {
      var clock = 10
      var rows: [String: JSONValue] = [:]
      var losesNextPush: Bool
    }

    private let movesDates: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - movesDates: Whether a removed row has the date that it was pushed with, not the one before.
    ///   - losesPush: Whether the answer to the first push is lost.
    init(movesDates: Bool, losesPush: Bool) {
      self.movesDates = movesDates
      state = Mutex(State(losesNextPush: losesPush))
    }

    func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
      state.withLock { state in
        state.clock += 1
        if request.method == "POST" {
          for row in request.json["tags"]?.array ?? [] {
            guard let id = row["id"]?.text else { continue }
            state.rows[id] = kept(row, over: state.rows[id])
          }
          if state.losesNextPush {
            state.losesNextPush = false
            return ScriptedServer.Reply.cut
          }
        }
        let since = Self.since(request)
        var listed: [JSONValue] = []
        for row in state.rows.values where (row["updated_at"]?.text ?? "") > since {
          listed.append(row)
        }
        let time = "2026-11-26T10:00:\(state.clock)Z"
        return ScriptedServer.Reply.json(["server_time": .string(time), "tags": .array(listed)])
      }
    }

    private func kept(_ row: JSONValue, over old: JSONValue?) -> JSONValue {
      guard !movesDates, let old, row["deleted_at"]?.isNull == false, var object = row.object else {
        return row
      }
      object["updated_at"] = old["updated_at"] ?? .null
      return .object(object)
    }

    private static func since(_ request: ScriptedServer.Request) -> String {
      guard request.target.contains("since="), let text = request.target.split(separator: "=").last
      else { return "" }
      return String(text).removingPercentEncoding ?? ""
    }
  }

  private func withTags(
    movesDates: Bool = true,
    losesPush: Bool = false,
    body: (ChangesetDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let tags = TagServer(movesDates: movesDates, losesPush: losesPush)
    try await ScriptedServer.runChangeset(
      ChangesetDateTests.api(),
      { tags.answer($0) },
      body: body
    )
  }

  private static func new(_ numbers: ClosedRange<Int64>) -> OutgoingBatch {
    var items: [OutgoingBatch.Item] = []
    for number in numbers {
      items.append(.number(number, id: "t\(number)", body: ["name": .string("tag \(number)")]))
    }
    return OutgoingBatch(entity: "Tag", verb: .create, items: items)
  }

  private static func old(_ verb: OutgoingBatch.Verb, _ name: String) -> OutgoingBatch {
    let item = OutgoingBatch.Item.number(
      1,
      id: "t1",
      serverID: "t1",
      body: ["name": .string(name)]
    )
    return OutgoingBatch(entity: "Tag", verb: verb, items: [item])
  }

  private static func words(
    _ destination: ChangesetDestination,
    _ numbers: ClosedRange<Int64>
  ) async -> Set<String> {
    let answer = await destination.send(new(numbers))
    return Set(numbers.map { answer.word($0) })
  }

  private static func wholeReadings(_ server: ScriptedServer) -> Int {
    server.lines.filter { $0 == "GET /sync" }.count
  }

  @Test func `new rows need a complete reading only at the first and the last push`() async throws {
    try await withTags { destination, server in
      _ = try await destination.page(of: "Tag", after: nil, since: nil)
      let first = await Self.words(destination, 1...100)
      let second = await Self.words(destination, 101...200)
      let third = await Self.words(destination, 201...300)
      #expect(first.union(second).union(third) == ["stored"])
      let page = try await destination.page(of: "Tag", after: nil, since: nil)
      #expect(page.records.count == 300)
      #expect(Self.wholeReadings(server) == 2)
    }
  }

  @Test func `each push of a change is based on one complete reading`() async throws {
    try await withTags { destination, server in
      _ = await destination.send(Self.new(1...1))
      let before = Self.wholeReadings(server)
      let first = await destination.send(Self.old(.update, "b"))
      let second = await destination.send(Self.old(.update, "c"))
      #expect([first.word(1), second.word(1)] == ["stored", "stored"])
      #expect(Self.wholeReadings(server) == before + 2)
    }
  }

  @Test(arguments: [(true, 1), (false, 2)])
  func `a removal that keeps the row's date is looked for by reading all rows`(
    movesDates: Bool,
    count: Int
  ) async throws {
    try await withTags(movesDates: movesDates) { destination, server in
      _ = await destination.send(Self.new(1...1))
      let before = Self.wholeReadings(server)
      let answer = await destination.send(Self.old(.delete, "a"))
      #expect(answer.word(1) == "removed")
      #expect(Self.wholeReadings(server) == before + count)
    }
  }

  @Test func `the rows of an unanswered push are among the changes`() async throws {
    try await withTags(losesPush: true) { destination, server in
      _ = await destination.send(Self.new(1...1))
      let again = await destination.send(Self.new(1...1))
      #expect(again.word(1) == "exists")
      #expect(Self.wholeReadings(server) == 1)
    }
  }
}
