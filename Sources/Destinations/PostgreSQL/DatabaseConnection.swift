import CPostgreSQL
import DestinationModel
import Foundation
import Synchronization

/// What ends the waiting of a connection's thread before its time.
///
/// Each wait for a socket also waits for a pipe. A byte in the pipe ends the wait.
final class WakeUp: Sendable {
  /// How far a waiting is cut short.
  private enum Haste: Sendable {
    case none
    /// Each single waiting ends soon.
    case soon(since: ContinuousClock.Instant)
    case now
  }

  private let ends: (reading: Int32, writing: Int32)?
  private let haste = Mutex(Haste.none)

  /// How long an answer may still take once a run ends.
  private static let grace: Duration = .milliseconds(500)

  init() {
    var pair: [Int32] = [-1, -1]
    guard unsafe pipe(&pair) == 0 else {
      ends = nil
      return
    }
    for end in pair {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    ends = (pair[0], pair[1])
  }

  deinit {
    guard let ends else { return }
    close(ends.reading)
    close(ends.writing)
  }

  /// Ends each waiting at once, from now on.
  func set() { hasten(.now) }

  /// Ends each waiting soon, from now on.
  func hurry() { hasten(.soon(since: .now)) }

  private func hasten(_ wanted: Haste) {
    haste.withLock { haste in
      switch (haste, wanted) {
      case (.now, _), (.soon, .soon): break
      case (.none, _), (.soon, .now), (.soon, .none): haste = wanted
      }
    }
    guard let ends else { return }
    var byte: UInt8 = 1
    _ = unsafe write(ends.writing, &byte, 1)
  }

  /// Waits until a socket can be read from, or written to.
  func wait(
    for socket: Int32,
    reading: Bool,
    writing: Bool,
    until end: Deadline
  ) throws(DatabaseFault) {
    let start = ContinuousClock.now
    while true {
      var left = end.milliseconds
      guard left > 0 else { throw .late }
      switch haste.withLock({ $0 }) {
      case .none: break
      case .soon(let since):
        left = min(left, Deadline(max(since, start) + Self.grace).milliseconds)
      case .now: left = 0
      }
      guard left > 0 else { throw .givenUp }
      // Without a pipe, for want of files, it is looked at often instead.
      if ends == nil { left = min(left, 100) }
      let events = Int16(reading ? POLLIN : 0) | Int16(writing ? POLLOUT : 0)
      var places = [pollfd(fd: socket, events: events, revents: 0)]
      if let ends { places.append(pollfd(fd: ends.reading, events: Int16(POLLIN), revents: 0)) }
      let count = unsafe poll(&places, nfds_t(places.count), left)
      if count < 0, errno != EINTR { throw .lost(reason: "its socket cannot be waited for") }
      guard count > 0 else { continue }
      if places[0].revents != 0 { return }
      var byte: UInt8 = 0
      if let ends { _ = unsafe read(ends.reading, &byte, 1) }
    }
  }
}

/// When a waiting ends.
struct Deadline: Sendable {
  private let end: ContinuousClock.Instant

  init(_ end: ContinuousClock.Instant) { self.end = end }

  init(in time: Duration) { end = .now + time }

  /// What is left, and not more than poll(2) takes.
  var milliseconds: Int32 {
    let left = end - .now
    guard left > .zero else { return 0 }
    let (seconds, rest) = left.components
    return Int32(min(seconds * 1_000 + rest / 1_000_000_000_000_000 + 1, 3_600_000))
  }
}

/// A connection to a database, which one thread at a time may use.
///
/// libpq is used in the way that waits for nothing: https://www.postgresql.org/docs/current/libpq-async.html
@safe
final class DatabaseConnection {
  private let handle: OpaquePointer
  private let wakeUp: WakeUp
  /// How long one answer may take.
  private let patience: Duration

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - settings: The parameters of libpq by their names.
  ///   - patience: How long one answer may take.
  ///   - wakeUp: What ends a waiting before its time.
  /// - Throws: ``DatabaseFault`` where none comes about.
  init(
    _ settings: [(name: String, value: String)],
    patience: Duration,
    wakeUp: WakeUp
  ) throws(DatabaseFault) {
    if let reason = unsafe ferry_pq_open() {
      throw .noLibrary(reason: unsafe String(cString: reason))
    }
    self.patience = patience
    self.wakeUp = wakeUp
    let made = unsafe withStrings(settings.map { Array($0.name.utf8) + [0] } + [nil]) { names in
      unsafe withStrings(settings.map { Array($0.value.utf8) + [0] } + [nil]) { values in
        unsafe ferry_pq_connect_start(names, values)
      }
    }
    guard let made = unsafe made else { throw .lost(reason: "there is no memory for it") }
    unsafe handle = made
    try connect()
  }

  deinit { unsafe ferry_pq_finish(handle) }

  private func connect() throws(DatabaseFault) {
    guard unsafe ferry_pq_is_good(handle) != 0 else { throw connectionFault() }
    let end = Deadline(in: patience)
    var isWriting = true
    while true {
      let socket = unsafe ferry_pq_socket(handle)
      guard socket >= 0 else { throw connectionFault() }
      try wakeUp.wait(for: socket, reading: !isWriting, writing: isWriting, until: end)
      switch unsafe ferry_pq_connect_poll(handle) {
      case 1: isWriting = false
      case 2: isWriting = true
      case 3:
        guard unsafe ferry_pq_set_nonblocking(handle) == 0 else { throw connectionFault() }
        return
      case _: throw connectionFault()
      }
    }
  }

  /// Why there is no connection; a server's refusal comes as text alone.
  private func connectionFault() -> DatabaseFault {
    let text = unsafe String(cString: ferry_pq_error(handle))
    return .connecting(text)
  }

  private func lost() -> DatabaseFault {
    let text = unsafe String(cString: ferry_pq_error(handle)).firstLine
    return .lost(reason: text.isEmpty ? "the connection ended" : text)
  }

  // MARK: - Asking

  /// Sends statements without parameters, which the server carries out one after the other.
  @discardableResult
  func run(_ sql: String) throws(DatabaseFault) -> Rows {
    let isSent = unsafe sql.withCString { unsafe ferry_pq_send(handle, $0) } == 1
    guard isSent else { throw lost() }
    return try answer(until: Deadline(in: patience))
  }

  /// Sends one statement with the values of `$1`, `$2`…, each as text that ends with a zero.
  func run(_ sql: String, _ values: [[UInt8]?]) throws(DatabaseFault) -> Rows {
    let isSent =
      unsafe withStrings(values) { pointers in
        unsafe sql.withCString { text in
          unsafe ferry_pq_send_parameters(handle, text, Int32(values.count), pointers)
        }
      } == 1
    guard isSent else { throw lost() }
    return try answer(until: Deadline(in: patience))
  }

  /// Sends one statement whose answer is bytes in pieces, each a row with its number and a part of them; passes
  /// each on as it comes.
  func run(
    _ sql: String,
    _ values: [[UInt8]?],
    forPieces body: ([UInt8]) throws(DatabaseFault) -> Void
  ) throws(DatabaseFault) {
    let isSent =
      unsafe withStrings(values) { pointers in
        unsafe sql.withCString { text in
          unsafe ferry_pq_send_for_single_rows(handle, text, Int32(values.count), pointers)
        }
      } == 1
    guard isSent else { throw lost() }
    try flush(until: Deadline(in: patience))
    var fault: DatabaseFault?
    var number: Int32 = 0
    while true {
      try receive(until: Deadline(in: patience))
      guard let result = unsafe ferry_pq_result_next(handle) else { break }
      defer { unsafe ferry_pq_result_clear(result) }
      switch unsafe ferry_pq_result_status(result) {
      case 2: continue
      case 9 where fault == nil:
        do throws(DatabaseFault) {
          try body(try unsafe piece(number, of: result))
          number += 1
        } catch {
          // What else comes of the answer is read past.
          fault = error
        }
      case 9: continue
      case _: fault = unsafe fault ?? self.fault(of: result)
      }
    }
    if let fault { throw fault }
    guard number > 0 else { throw .lost(reason: "the row is not there any more") }
  }

  private func piece(
    _ number: Int32,
    of result: OpaquePointer
  ) throws(DatabaseFault) -> [UInt8] {
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
      let start = unsafe ferry_pq_result_value(result, 0, column)
      let count = Int(unsafe ferry_pq_result_length(result, 0, column))
      return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
    let found = unsafe bytes(0).reduce(Int32(0)) { $0 << 8 | Int32($1) }
    guard found == number else {
      throw .lost(reason: "the database gave piece \(found) of a value in place of \(number)")
    }
    return unsafe Array(bytes(1))
  }

  /// Sends `COPY … FROM STDIN` with its rows, which `write` passes on in pieces; gives how many the server took.
  func copy(
    _ sql: String,
    _ write: (([UInt8]) throws(DatabaseFault) -> Void) throws(DatabaseFault) -> Void
  ) throws(DatabaseFault) -> Int {
    let isSent = unsafe sql.withCString { unsafe ferry_pq_send(handle, $0) } == 1
    guard isSent else { throw lost() }
    let end = Deadline(in: patience)
    try flush(until: end)
    try receive(until: end)
    guard let first = unsafe ferry_pq_result_next(handle) else { throw lost() }
    let status = unsafe ferry_pq_result_status(first)
    let fault = status == 4 ? nil : unsafe self.fault(of: first)
    unsafe ferry_pq_result_clear(first)
    if let fault {
      _ = try? answer(until: end)
      throw fault
    }
    do throws(DatabaseFault) {
      try write { bytes throws(DatabaseFault) in try put(bytes) }
    } catch {
      // What cannot be written to its end is not taken; a connection that is lost has no answer.
      if case .refused = error, (try? endCopy(for: "there is no more of it")) != nil {
        _ = try? answer(until: Deadline(in: patience))
      }
      throw error
    }
    try endCopy(for: nil)
    return try answer(until: Deadline(in: patience)).count
  }

  /// Passes bytes of a `COPY` on; none of them is left in libpq's buffer, which grows.
  private func put(_ bytes: [UInt8]) throws(DatabaseFault) {
    let end = Deadline(in: patience)
    var place = 0
    while place < bytes.count {
      let count = min(Self.pieceOfCopy, bytes.count - place)
      let taken: Int32 = unsafe bytes.withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress else { return -1 }
        return unsafe ferry_pq_put_copy(handle, start + place, Int32(count))
      }
      guard taken >= 0 else { throw lost() }
      if taken == 1 { place += count } else { try waitForRoom(until: end) }
      try flush(until: end)
    }
  }

  /// Ends a `COPY`, or has the server refuse it for a reason.
  private func endCopy(for reason: String?) throws(DatabaseFault) {
    let end = Deadline(in: patience)
    while true {
      let ended: Int32 =
        if let reason {
          unsafe reason.withCString { unsafe ferry_pq_end_copy(handle, $0) }
        } else {
          unsafe ferry_pq_end_copy(handle, nil)
        }
      guard ended >= 0 else { throw lost() }
      if ended == 1 { return }
      try waitForRoom(until: end)
    }
  }

  private static let pieceOfCopy = 64 << 10

  private func waitForRoom(until end: Deadline) throws(DatabaseFault) {
    let socket = unsafe ferry_pq_socket(handle)
    try wakeUp.wait(for: socket, reading: true, writing: true, until: end)
    guard unsafe ferry_pq_consume(handle) == 1 else { throw lost() }
  }

  private func flush(until end: Deadline) throws(DatabaseFault) {
    while true {
      let left = unsafe ferry_pq_flush(handle)
      if left == 0 { return }
      guard left > 0 else { throw lost() }
      // The server may not read on before what it says is read.
      try waitForRoom(until: end)
    }
  }

  /// Waits until a result can be taken at once.
  private func receive(until end: Deadline) throws(DatabaseFault) {
    while unsafe ferry_pq_is_busy(handle) != 0 {
      let socket = unsafe ferry_pq_socket(handle)
      guard socket >= 0 else { throw lost() }
      try wakeUp.wait(for: socket, reading: true, writing: false, until: end)
      guard unsafe ferry_pq_consume(handle) == 1 else { throw lost() }
    }
  }

  /// Takes all results; gives the last, or throws the first fault.
  private func answer(until end: Deadline) throws(DatabaseFault) -> Rows {
    try flush(until: end)
    var last: Rows?
    var fault: DatabaseFault?
    while true {
      try receive(until: end)
      guard let result = unsafe ferry_pq_result_next(handle) else { break }
      switch unsafe ferry_pq_result_status(result) {
      case 1, 2: last = unsafe Rows(result)
      case _: fault = unsafe fault ?? self.fault(of: result)
      }
      unsafe ferry_pq_result_clear(result)
    }
    if let fault { throw fault }
    guard let last else { throw lost() }
    return last
  }

  private func fault(of result: OpaquePointer) -> DatabaseFault {
    func part(_ letter: Unicode.Scalar) -> String? {
      unsafe ferry_pq_result_fault(result, CChar(letter.value)).map { unsafe String(cString: $0) }
    }
    let text = unsafe String(cString: ferry_pq_result_error(result)).firstLine
    let message = part("M") ?? text
    guard let code = part("C") else { return .lost(reason: message) }
    // After these the server ends the connection.
    if let severity = part("V") ?? part("S"), severity != "ERROR" {
      return .lost(reason: "\(message) [\(code)]")
    }
    return .refused(
      ServerFault(code: code, message: message, constraint: part("n"), column: part("c"))
    )
  }
}

/// The rows of an answer, as text.
struct Rows: Sendable {
  let values: [[String?]]
  /// How many rows the statement was about, where it says so.
  let count: Int
  /// What was carried out: `INSERT 0 1`, `COMMIT`.
  let command: String

  fileprivate init(_ result: OpaquePointer) {
    let (rows, columns) = unsafe (ferry_pq_result_rows(result), ferry_pq_result_columns(result))
    var values: [[String?]] = []
    values.reserveCapacity(Int(rows))
    for row in 0..<rows {
      values.append(
        (0..<columns).map { column in
          guard let start = unsafe ferry_pq_result_value(result, row, column) else { return nil }
          let length = Int(unsafe ferry_pq_result_length(result, row, column))
          return unsafe String(
            decoding: UnsafeRawBufferPointer(start: start, count: length),
            as: UTF8.self
          )
        }
      )
    }
    self.values = values
    command = unsafe String(cString: ferry_pq_result_command(result))
    count = command.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }
}

extension DatabaseFault {
  /// What the text says that a connection did not come about by.
  ///
  /// The sign-in's refusals have no SQLSTATE in libpq's interface: they are reported by the
  /// server's words, which are English unless the server is set to another language; then the fault
  /// counts as passing.
  package static func connecting(_ text: String) -> DatabaseFault {
    // One line for each address that was tried, and indented ones that explain it.
    let line = text.split(separator: "\n").last { !$0.hasPrefix("\t") }.map(String.init) ?? ""
    let words = line.firstRange(of: "FATAL:").map {
      String(line[$0.upperBound...]).trimmingCharacters(in: .whitespaces)
    }
    guard let words else {
      if line.contains("SSL was required") || line.contains("certificate") {
        return .misfit(
          .elsewhere(
            reason: "no encrypted connection comes about: \(line)",
            cure: "see “sslmode” and “sslrootcert” in the database's address"
          )
        )
      }
      let isOfTheSignIn = text.contains("no password supplied") || text.contains("SCRAM")
      if isOfTheSignIn { return .refused(ServerFault(code: "28000", message: line)) }
      return .lost(reason: line.isEmpty ? "no connection came about" : line)
    }
    for (sign, code) in signs where words.contains(sign) {
      return .refused(ServerFault(code: code, message: words))
    }
    return .lost(reason: words)
  }

  private static let signs = [
    ("the database system is", "57P03"), ("too many connections", "53300"),
    ("remaining connection", "53300"), ("password authentication failed", "28P01"),
    ("authentication failed", "28000"),
    ("no pg_hba.conf entry", "28000"), ("pg_hba.conf rejects", "28000"),
    ("is not permitted to log in", "28000"), ("role ", "28000"), ("permission denied", "42501"),
    ("database ", "3D000"),
  ]
}

extension String {
  fileprivate var firstLine: String { split(separator: "\n").first.map(String.init) ?? "" }
}

/// Lends C strings, each with its zero at the end.
private func withStrings<Value>(
  _ texts: [[UInt8]?],
  _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
) -> Value {
  var pointers: [UnsafePointer<CChar>?] = unsafe []
  func lend(_ place: Int) -> Value {
    guard place < texts.count else {
      return unsafe pointers.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else {
          let nothing: UnsafePointer<CChar>? = nil
          return unsafe withUnsafePointer(to: nothing) { unsafe body($0) }
        }
        return unsafe body(start)
      }
    }
    guard let text = texts[place] else {
      unsafe pointers.append(nil)
      return lend(place + 1)
    }
    return unsafe text.withUnsafeBufferPointer { buffer in
      unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
        unsafe pointers.append(buffer.baseAddress)
        return lend(place + 1)
      }
    }
  }
  return lend(0)
}
