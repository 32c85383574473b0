import DestinationModel
import Dispatch
import Foundation
import Retrying
import Synchronization

/// The connections to one database, each with a thread of its own.
///
/// As many are opened as calls are made at once; the caller bounds these. libpq looks up names and reads
/// certificates without a way to end that, and so never on a thread that tasks share.
final class ConnectionPool: Sendable {
  let address: DatabaseAddress
  private let credentials: any CredentialSource
  private let names: [String]
  private let patience: Duration
  private let state = Mutex(State())

  private struct State {
    var idle: [Lane] = []
    var all: [Lane] = []
    var isHurried = false
    var identity: String?
    var fault: DestinationError?
  }

  /// - Parameters:
  ///   - address: Where the database is.
  ///   - credentials: Asked at each new connection.
  ///   - names: The credentials that are asked for: `user`, `password`.
  ///   - patience: How long one answer may take.
  init(
    _ address: DatabaseAddress,
    credentials: any CredentialSource,
    names: [String],
    patience: Duration
  ) {
    self.address = address
    self.credentials = credentials
    self.names = names
    self.patience = patience
  }

  /// Ends each waiting soon, from now on.
  func hurry() {
    let lanes = state.withLock { state in
      state.isHurried = true
      return state.all
    }
    for lane in lanes { lane.hurry() }
  }

  /// That the database turned out to be another one than it was first.
  var accountFault: DestinationError? { state.withLock { $0.fault } }

  /// Who is signed in, and where: `app@7301234567890123456/db`.
  func identity() async throws(DatabaseFault) -> String {
    if let known = state.withLock({ $0.identity }) { return known }
    do throws(TransactionFault) {
      try await transaction(.reading) { _ throws(DatabaseFault) in }
    } catch {
      throw error.fault
    }
    guard let known = state.withLock({ $0.identity }) else {
      throw .lost(reason: "the database did not say who is signed in")
    }
    return known
  }

  /// What a transaction is for.
  enum Purpose: Sendable {
    case reading, writing
  }

  /// Carries out a transaction on a connection that no other user uses meanwhile.
  func transaction<Value: Sendable>(
    _ purpose: Purpose,
    _ body: @escaping @Sendable (DatabaseConnection) throws(DatabaseFault) -> Value
  ) async throws(TransactionFault) -> Value {
    let lane = take()
    var settings: [(name: String, value: String)] = []
    do throws(DestinationError) {
      if !lane.isOpen { settings = try await self.settings() }
    } catch {
      giveBack(lane)
      throw .notCarriedOut(.misfit(error))
    }
    let plan = Lane.Plan(
      settings: settings,
      begin: begin(purpose),
      // The server's own limit ends a statement first, and says so.
      patience: patience + .seconds(5),
      check: { connection throws(DatabaseFault) in try self.check(connection) },
      end: { self.giveBack(lane) }
    )
    return try await lane.perform(plan, body)
  }

  private func take() -> Lane {
    state.withLock { state in
      if let lane = state.idle.popLast() { return lane }
      let lane = Lane(number: state.all.count)
      if state.isHurried { lane.hurry() }
      state.all.append(lane)
      return lane
    }
  }

  private func giveBack(_ lane: Lane) { state.withLock { $0.idle.append(lane) } }

  private func settings() async throws(DestinationError) -> [(name: String, value: String)] {
    let secrets = try await credentials.credentials(named: names)
    var settings = [
      ("host", address.host), ("port", "\(address.port)"), ("dbname", address.database),
      ("application_name", "ferry"), ("client_encoding", "UTF8"),
    ]
    for (name, value) in address.settings.sorted(by: { $0.key < $1.key }) {
      settings.append((name, value))
    }
    for name in names { if let secret = secrets[name] { settings.append((name, secret.exposed)) } }
    return settings
  }

  /// What is fixed for a transaction: pools of connections between here and the database may give each one
  /// another session.
  private func begin(_ purpose: Purpose) -> String {
    let milliseconds = max(1, patience.components.seconds) * 1_000
    // What is read in several statements is one state of the database.
    let mode = purpose == .reading ? "REPEATABLE READ READ ONLY" : "READ COMMITTED"
    return """
      BEGIN ISOLATION LEVEL \(mode);
      SET LOCAL TimeZone TO 'UTC';
      SET LOCAL DateStyle TO 'ISO, YMD';
      SET LOCAL bytea_output TO 'hex';
      SET LOCAL extra_float_digits TO 1;
      SET LOCAL statement_timeout TO \(milliseconds);
      SET LOCAL lock_timeout TO \(milliseconds);
      SET LOCAL idle_in_transaction_session_timeout TO \(2 * milliseconds);
      SELECT CASE WHEN current_setting('synchronous_commit') = 'off'
        THEN set_config('synchronous_commit', 'on', true) END
      """
  }

  /// Makes sure that a new connection leads to the same database and role as the first did.
  private func check(_ connection: DatabaseConnection) throws(DatabaseFault) {
    let row = try connection.run("SELECT current_user, current_database()").values.first ?? []
    var server = "\(address.host):\(address.port)"
    do throws(DatabaseFault) {
      let sql = "SELECT system_identifier FROM pg_control_system()"
      if let found = try connection.run(sql).values.first?.first { server = found ?? server }
    } catch .refused {
      // Some services keep this from their customers.
    }
    guard row.count == 2, let role = row[0], let database = row[1] else {
      throw .lost(reason: "the database did not say who is signed in")
    }
    let now = "\(role)@\(server)/\(database)"
    let first = state.withLock { state in
      if state.identity == nil { state.identity = now }
      return state.identity ?? now
    }
    guard first == now else {
      let error = DestinationError.otherAccount(first: first, now: now)
      state.withLock { $0.fault = error }
      throw .misfit(error)
    }
  }
}

/// Why a transaction came to nothing, or to it is unknown what.
enum TransactionFault: Error, Hashable, Sendable {
  /// It was not committed, and never will be.
  case notCarriedOut(DatabaseFault)
  /// Its commit was sent, and no answer came.
  case unknown(DatabaseFault)

  var fault: DatabaseFault {
    switch self {
    case .notCarriedOut(let fault), .unknown(let fault): fault
    }
  }
}

/// One connection with its thread.
private final class Lane: Sendable {
  private let queue: DispatchQueue
  private let held = Mutex(Held())

  private struct Held: Sendable {
    var wakeUp = WakeUp()
    var isOpen = false
    var isConnecting = false
    var isHurried = false
    var isCancelled = false
    /// Answers the caller before the thread does.
    var giveUp: (@Sendable () -> Void)?
  }

  /// Only the queue uses it.
  private final class Place: @unchecked Sendable {
    var connection: DatabaseConnection?
  }

  private let place = Place()

  struct Plan: Sendable {
    let settings: [(name: String, value: String)]
    let begin: String
    let patience: Duration
    let check: @Sendable (DatabaseConnection) throws(DatabaseFault) -> Void
    let end: @Sendable () -> Void
  }

  init(number: Int) { queue = DispatchQueue(label: "ferry.postgresql.\(number)") }

  var isOpen: Bool { held.withLock { $0.isOpen } }

  func hurry() {
    let held = held.withLock { held in
      held.isHurried = true
      return held
    }
    held.wakeUp.hurry()
    if held.isConnecting { held.giveUp?() }
  }

  private func cancel() {
    let held = held.withLock { held in
      held.isCancelled = true
      return held
    }
    held.wakeUp.set()
    if held.isConnecting { held.giveUp?() }
  }

  func perform<Value: Sendable>(
    _ plan: Plan,
    _ body: @escaping @Sendable (DatabaseConnection) throws(DatabaseFault) -> Value
  ) async throws(TransactionFault) -> Value {
    held.withLock { $0.isCancelled = false }
    let result = await Waits.during(.answer, atMost: plan.patience) {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let reply = Reply<Result<Value, TransactionFault>>(continuation)
          held.withLock { held in
            held.giveUp = { reply.give(.failure(.notCarriedOut(.givenUp))) }
          }
          queue.async {
            let result = self.carryOut(plan, isCancelled: { reply.isGiven }, body)
            self.held.withLock { $0.giveUp = nil }
            plan.end()
            reply.give(result)
          }
        }
      } onCancel: {
        cancel()
      }
    }
    return try result.get()
  }

  // MARK: - On the thread

  private func carryOut<Value: Sendable>(
    _ plan: Plan,
    isCancelled: () -> Bool,
    _ body: (DatabaseConnection) throws(DatabaseFault) -> Value
  ) -> Result<Value, TransactionFault> {
    let value: Value
    let connection: DatabaseConnection
    do throws(DatabaseFault) {
      connection = try begun(plan)
      guard !isCancelled() else { throw .givenUp }
      value = try body(connection)
    } catch {
      return .failure(.notCarriedOut(abandon(error)))
    }
    do throws(DatabaseFault) {
      let command = try connection.run("COMMIT").command
      guard command == "COMMIT" else {
        // A statement before it had failed.
        return .failure(.notCarriedOut(abandon(.lost(reason: "the transaction was rolled back"))))
      }
      return .success(value)
    } catch .refused(let fault) {
      return .failure(.notCarriedOut(abandon(.refused(fault))))
    } catch {
      return .failure(.unknown(abandon(error)))
    }
  }

  /// The connection with a transaction begun.
  private func begun(_ plan: Plan) throws(DatabaseFault) -> DatabaseConnection {
    guard !held.withLock({ $0.isCancelled }) else { throw .givenUp }
    let connection = if let open = place.connection { open } else { try opened(plan) }
    try connection.run(plan.begin)
    return connection
  }

  private func opened(_ plan: Plan) throws(DatabaseFault) -> DatabaseConnection {
    let wakeUp = WakeUp()
    held.withLock { held in
      if held.isHurried { wakeUp.hurry() }
      if held.isCancelled { wakeUp.set() }
      held.wakeUp = wakeUp
      held.isConnecting = true
    }
    defer { held.withLock { $0.isConnecting = false } }
    let connection = try DatabaseConnection(
      plan.settings,
      patience: plan.patience,
      wakeUp: wakeUp
    )
    try plan.check(connection)
    place.connection = connection
    held.withLock { $0.isOpen = true }
    return connection
  }

  /// Rolls back what was begun; closes a connection of unknown state, upon which the server
  /// rolls back.
  private func abandon(_ fault: DatabaseFault) -> DatabaseFault {
    let isUsable =
      switch fault {
      case .refused, .misfit: true
      case .noLibrary, .lost, .late, .givenUp: false
      }
    guard isUsable, let connection = place.connection else {
      close()
      return fault
    }
    do throws(DatabaseFault) { try connection.run("ROLLBACK") } catch { close() }
    return fault
  }

  private func close() {
    place.connection = nil
    held.withLock { $0.isOpen = false }
  }
}

/// An answer that is given once, by the first of several threads.
private final class Reply<Value: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Value, Never>?>

  init(_ continuation: CheckedContinuation<Value, Never>) {
    self.continuation = Mutex(continuation)
  }

  var isGiven: Bool { continuation.withLock { $0 == nil } }

  func give(_ value: Value) {
    let waiting = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(returning: value)
  }
}
