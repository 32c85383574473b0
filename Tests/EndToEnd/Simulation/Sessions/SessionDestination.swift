import DestinationModel
import Records
import Synchronization
import UploadPlanning

/// The made-up server, as one process comes to it.
final class SessionDestination: Destination {
  let traits: DestinationTraits
  let server: SessionServer
  let time: SessionTime
  let way: SessionWay
  /// The tickets for files that this process took, by the records of the files.
  let tickets = Mutex<[RecordID: Ticket]>([:])

  init(_ server: SessionServer, by way: SessionWay, time: SessionTime) {
    traits = server.scenario.traits
    self.server = server
    self.way = way
    self.time = time
  }

  /// Whether a call reaches the server, whose time it is now.
  func arrives() -> Bool {
    guard way.deathNote == nil else { return false }
    server.deliver(by: time.now)
    return true
  }

  static let killed = BatchAnswer(whole: .refused(reason: "the process was killed"))

  static var isGone: DestinationError { .unauthorized(reason: "the process was killed") }

  // MARK: - Calls

  func account() async throws(DestinationError) -> String {
    try reading("account")
    return "somebody"
  }

  func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    if batch.verb == .uploadMedia || batch.verb == .removeMedia { return sendFiles(batch) }
    guard arrives() else { return Self.killed }
    // What the network brings twice by itself, no run can know of.
    let isRepeatable =
      switch batch.verb {
      case .create: server.scenario.replays[batch.entity] != .lookUp
      case .update: server.scenario.checksVersions
      default: true
      }
    let (fate, delay) = way.fate(
      of: "\(batch.verb) \(batch.items.first.map { "\($0.record)" } ?? "")",
      isRepeatable: isRepeatable
    )
    way.log("\(batch.verb) \(batch.items.map { "\($0.record)" }) \(fate)")
    switch fate {
    case .arrives: return server.carryOut(batch)
    case .isLost: return lost
    case .answerIsLost:
      _ = server.carryOut(batch)
      return lost
    case .comesLate:
      server.send(batch, due: time.now + delay)
      return lost
    case .comesTwice:
      server.send(batch, due: time.now + delay)
      return server.carryOut(batch)
    case .isPutOff: return BatchAnswer(whole: .deferred(reason: "503"))
    case .killsBefore:
      way.die()
      return Self.killed
    case .killsAfter:
      _ = server.carryOut(batch)
      way.die()
      return Self.killed
    }
  }

  private var lost: BatchAnswer {
    BatchAnswer(whole: .unknown(reason: "no answer"), isUnanswered: true)
  }

  /// What happens to a reading, before it is answered.
  func reading(_ name: @autoclosure () -> String) throws(DestinationError) {
    guard arrives() else { throw Self.isGone }
    let fate = way.fateOfReading()
    way.log("\(name()) \(fate)")
    switch fate {
    case .arrives: break
    case .isLost: throw .unreachable(origin: traits.origin, reason: "no answer")
    case .isPutOff: throw .busy(retryAfter: nil, reason: "503")
    case .kills:
      way.die()
      throw Self.isGone
    }
  }

  func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    try reading("page of \(entity) after \(mark ?? "-") since \(since ?? "-")")
    return server.page(of: entity, after: mark, since: since)
  }

  func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    try reading("\(entity) \(serverID)")
    return server.record(entity, serverID)
  }
}
