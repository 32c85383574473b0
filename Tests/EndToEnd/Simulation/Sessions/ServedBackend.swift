import DestinationModel
import DevelopmentBackend
import Foundation
import HTTPTransport
import JSONText
import Profiles
import Records
import Synchronization
import UploadPlanning

/// A server that is spoken to over HTTP as the program speaks to it, for the time of one history.
final class ServedBackend: SessionBackend {
  /// A request that is on its way.
  private struct Late {
    let due: Duration
    /// The row that it may change, where nothing distinguishes it apart from one that came in time.
    let moved: String?
    let arrive: RequestFate.Work
  }

  private struct State {
    var rows: [SessionRow] = []
    var onTheirWay: [Late] = []
    var disturbed: Set<RecordID> = []
    var movedLate: Set<RecordID> = []
    var removed: Set<String> = []
    /// The rows that another device made, and those that another device changed.
    var foreign: Set<String> = []
    var touched: Set<String> = []
    var requestCount = 0
    var otherDeviceCount = 0
    /// Whether an answer was lost that held the next token.
    var hasLostToken = false
  }

  let scenario: SessionScenario
  let files = SessionFiles()
  let isRestorable = false
  let wasRestored = false
  private let host: SessionHost
  private let api: Api
  private let state = Mutex(State())

  init(_ scenario: SessionScenario, _ profile: Profile, on host: SessionHost) throws {
    guard let api = profile.api else { throw SessionHost.Fault.server("the profile has no api") }
    self.scenario = scenario
    self.api = api
    self.host = host
  }

  var rows: [SessionRow] { state.withLock { $0.rows } }
  var disturbed: Set<RecordID> { state.withLock { $0.disturbed } }
  var movedLate: Set<RecordID> { state.withLock { $0.movedLate } }
  var removed: Set<String> { state.withLock { $0.removed } }
  var requestCount: Int { state.withLock { $0.requestCount } }
  var hasLostRights: Bool { state.withLock { $0.hasLostToken } }

  // MARK: - Processes

  func lend<Value: Sendable>(
    by way: SessionWay,
    time: SessionTime,
    _ body: (any Destination) async -> Value
  ) async -> Value {
    let transport = HTTPTransport()
    let inner: any Destination
    do {
      inner = try host.destination(api, try await host.signIn(), over: transport)
    } catch {
      fatalError("the profile leads nowhere: \(error)")
    }
    state.withLock { $0.hasLostToken = false }
    host.heed { received in self.fate(of: received, by: way, time: time) }
    let value = await body(ServedDestination(inner, of: self, by: way, time: time))
    host.heed(nil)
    await transport.shutdown()
    return value
  }

  private func fate(
    of received: ReceivedRequest,
    by way: SessionWay,
    time: SessionTime
  ) -> RequestFate {
    guard way.deathNote == nil else { return .dropped }
    state.withLock { $0.requestCount += 1 }
    func name() -> String { "\(received.method) \(received.path)" }
    guard received.isChange else {
      let fate = way.fateOfReading()
      way.log("\(name()) \(fate)")
      switch fate {
      case .arrives: return .planned
      case .isLost: return .dropped
      case .isPutOff: return .putOff
      case .kills:
        way.die()
        return .dropped
      }
    }
    // What the network brings twice by itself, no run can know of.
    let isChecked =
      scenario.checksVersions || received.method == "DELETE" && host.place == .stories
    let (drawn, delay) = way.fate(of: received.method, isRepeatable: isChecked)
    // Nothing identifies a record that was made again from the one that was to go.
    let isTooLate = drawn == .comesLate && received.method == "DELETE" && !isChecked
    let fate = isTooLate ? .answerIsLost : drawn
    way.log("\(name()) \(fate): \(String(decoding: received.body.prefix(2_000), as: UTF8.self))")
    let moved = isChecked ? nil : received.path.split(separator: "/").last.map(String.init)
    let keep = { @Sendable (work: @escaping RequestFate.Work) in
      let late = Late(due: time.now + delay, moved: moved, arrive: work)
      self.state.withLock { $0.onTheirWay.append(late) }
    }
    switch fate {
    case .arrives: return .planned
    case .isLost: return .dropped
    case .answerIsLost:
      if host.place == .cloudPrivate { state.withLock { $0.hasLostToken = true } }
      return .unanswered
    case .comesLate: return .kept(keep)
    case .comesTwice: return .repeated(keep)
    case .isPutOff: return .putOff
    case .killsBefore:
      way.die()
      return .dropped
    case .killsAfter:
      way.die()
      return .unanswered
    }
  }

  func deliver(by now: Duration) async {
    let arrived = state.withLock { state in
      let arrived = state.onTheirWay.filter { $0.due <= now }.sorted { $0.due < $1.due }
      state.onTheirWay.removeAll { $0.due <= now }
      return arrived
    }
    guard !arrived.isEmpty else { return }
    for late in arrived { await late.arrive() }
    await refresh()
    let moved = Set(arrived.compactMap(\.moved))
    state.withLock { state in
      state.movedLate.formUnion(state.rows.filter { moved.contains($0.id) }.compactMap(\.maker))
    }
  }

  // MARK: - What is there

  func refresh() async {
    do {
      let dump = try await host.ask("GET", "/__dev/dump")
      let rows = state.withLock { state in
        scenario.rows(in: dump, at: host.place, foreign: state.foreign)
      }
      files.replace(with: host.place.isCloud ? Self.parts(of: rows) : Self.files(in: dump))
      state.withLock { state in
        let ids = Set(rows.map(\.id))
        state.touched.formIntersection(ids)
        state.rows = rows.map { row in
          var row = row
          row.isTouched = state.touched.contains(row.id)
          return row
        }
      }
    } catch {
      fatalError("the server does not say what it has: \(error)")
    }
  }

  /// The files that are parts of their records, and say what they hold.
  private static func parts(of rows: [SessionRow]) -> [SessionFiles.File] {
    rows.compactMap(\.picture).compactMap { address in
      let key = String(address.dropFirst(SessionFiles.address(of: "").count))
      guard let bytes = Data(base64Encoded: key) else { return nil }
      let digest = bytes.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
      return SessionFiles.File(key: key, digest: digest, isConfirmed: true)
    }
  }

  private static func files(in dump: JSONValue) -> [SessionFiles.File] {
    (dump["files"]?.array ?? []).compactMap { file in
      guard let key = file["storageKey"]?.text else { return nil }
      let isConfirmed = file["isConfirmed"]?.boolean == true
      return SessionFiles.File(key: key, digest: file["sha256"]?.text, isConfirmed: isConfirmed)
    }
  }

  // MARK: - What others do

  /// Nothing: identities are the client's.
  func forgetKeys() {}

  func excuse(_ record: RecordID) { state.withLock { _ = $0.disturbed.insert(record) } }

  /// None is taken: these servers are never put back.
  func takeBackup() {}

  func restoreBackup() {}

  func actAsOtherDevice(_ random: inout SeededRandom) async {
    await refresh()
    let choice = Int.random(in: 0..<4, using: &random)
    let number = Int.random(in: 0..<6, using: &random)
    let rows = rows
    let count = state.withLock { state in
      state.otherDeviceCount += 1
      return state.otherDeviceCount
    }
    if choice > 0, !rows.isEmpty {
      let row = rows[Int.random(in: rows.indices, using: &random)]
      if let maker = row.maker { excuse(maker) }
      if choice == 1, !rows.contains(where: { $0.names(row.id) }) {
        _ = await act(.delete, row.entity, row.id, body: "")
        state.withLock { state in
          state.removed.insert(row.id)
          state.foreign.remove(row.id)
        }
      } else {
        let (_, member) = scenario.members(of: row.entity)
        let value = SessionScenario.json(1_000 + count, at: host.place)
        _ = await act(.update, row.entity, row.id, body: "{\"\(member)\":\(value)}")
        state.withLock { _ = $0.touched.insert(row.id) }
      }
    } else {
      let isHero = Bool.random(using: &random)
      let key = "\(isHero ? "h" : "t")\(number)"
      let entity = isHero ? SessionScenario.hero : SessionScenario.team
      let isThere = rows.contains { $0.id == key && $0.entity == entity }
      let parent = rows.first { $0.entity == SessionScenario.team }?.id
      guard !isThere, host.place != .stories || !isHero || parent != nil else { return }
      excuse(RecordID(entity: entity, key: key))
      let (name, member) = scenario.members(of: entity)
      let value = SessionScenario.json(1_000 + count, at: host.place)
      let rest =
        host.place != .stories
        ? "" : isHero ? ",\"heroId\":\"\(parent ?? "")\"" : ",\"age\":6,\"traits\":[]"
      let body = "{\"\(name)\":\"the \(key)\",\"\(member)\":\(value)\(rest)}"
      let id = await act(.create, entity, key, body: body)
      state.withLock { _ = $0.foreign.insert(id) }
    }
    await refresh()
  }

  /// Has another client do something, which works, and says where.
  private func act(
    _ verb: OutgoingBatch.Verb,
    _ entity: EntityName,
    _ id: String,
    body: String
  ) async -> String {
    do {
      let otherDevice = try host.destination(api, try await host.signIn(), over: host.transport)
      let there =
        verb == .create ? nil : try await otherDevice.record(of: entity, serverID: id)
      let item = OutgoingBatch.Item(
        operation: 1,
        record: RecordID(entity: entity, key: id),
        clientID: id,
        serverID: verb == .create ? nil : id,
        version: there?.version,
        key: "stranger",
        body: Array(body.utf8)
      )
      let batch = OutgoingBatch(entity: entity, verb: verb, items: [item])
      var answer = await otherDevice.send(batch)
      // The first one only makes the zone.
      if answer.pause == .milliseconds(1) { answer = await otherDevice.send(batch) }
      switch answer.outcomes[1] {
      case .stored(let serverID, _): return serverID
      case .removed: return id
      default: fatalError("another client cannot \(verb) \(entity) \(id): \(answer)")
      }
    } catch {
      fatalError("another client cannot read \(entity) \(id): \(error)")
    }
  }
}

extension SessionScenario {
  /// The rows of a dump of the server's.
  fileprivate func rows(
    in dump: JSONValue,
    at place: SessionPlace,
    foreign: Set<String>
  ) -> [SessionRow] {
    let lists =
      switch place {
      case .collections, .contents: ["records"]
      case .stories: ["heroes", "stories"]
      case .changeset: ["syncRows"]
      case .cloudPublic, .cloudPrivate: ["cloudRecords"]
      }
    let rows = lists.flatMap { list in (dump[list]?.array ?? []).map { (list, $0) } }
    return rows.compactMap { list, row in
      let kind =
        row["collection"]?.text ?? row["kind"]?.text ?? row["recordType"]?.text ?? list
      guard let entity = Self.entities.first(where: { Self.rows(of: $0, at: place) == kind }),
        let id = row["id"]?.text, row["deleted_at"]?.text == nil
      else { return nil }
      func member(_ name: String) -> JSONValue? {
        switch place {
        case .collections, .contents: row["data"]?[name]
        case .stories, .changeset: row[name]
        case .cloudPublic, .cloudPrivate: row["fields"]?[name]?["value"]
        }
      }
      func reference(_ name: String) -> String? {
        let value = member(name)
        return value?["recordName"]?.text ?? value?.text
      }
      let version =
        switch place {
        case .collections, .contents: row["version"]?.integer.map { Int($0) }
        case .stories: row["updatedAt"]?.text.flatMap { Int($0.filter(\.isNumber)) }
        case .changeset: row["updated_at"]?.text.flatMap { Int($0.filter(\.isNumber)) }
        case .cloudPublic, .cloudPrivate:
          row["recordChangeTag"]?.text.flatMap { Int($0, radix: 36) }
        }
      let names = members(of: entity)
      let value = member(names.value)
      guard let name = member(names.name)?.text, let version,
        let value = value?.integer.map({ Int($0) }) ?? value?.text.flatMap({ Int($0) })
      else { return nil }
      return SessionRow(
        id: id,
        entity: entity,
        name: name,
        value: value,
        team: reference(place == .stories ? "heroId" : "team"),
        late: reference(Self.deferredField(of: entity)),
        picture: member("avatarUrl")?.text
          ?? member("picture")?["fileChecksum"]?.text.map { SessionFiles.address(of: $0) },
        version: version,
        maker: foreign.contains(id)
          ? nil : RecordID(entity: entity, key: place.takesIdentities ? id : key(of: name))
      )
    }
  }

  /// The key of the record that is called so.
  private func key(of name: String) -> String { String(name.dropFirst("the ".count)) }

  /// The members that hold a record's name and its value at the destination.
  fileprivate func members(of entity: EntityName) -> (name: String, value: String) {
    guard place == .stories else { return ("name", "value") }
    return entity == Self.hero ? ("title", "content") : ("name", "avatarPrompt")
  }
}
