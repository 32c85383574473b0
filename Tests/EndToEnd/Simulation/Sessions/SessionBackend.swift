import DestinationModel
import Records
import UploadPlanning

/// Where the records of a history go, and what the checker may know of it.
protocol SessionBackend: Sendable {
  var scenario: SessionScenario { get }
  /// What is there, as it was read last.
  var rows: [SessionRow] { get }
  var files: SessionFiles { get }
  /// The records of which others changed or removed the row, or a backup restored another.
  var disturbed: Set<RecordID> { get }
  /// The records that a change came to late, perhaps when it had been made already: their versions
  /// are not that any run knows.
  var movedLate: Set<RecordID> { get }
  /// Whether a backup was put back, which has no files.
  var wasRestored: Bool { get }
  /// The rows that others removed, or that no backup had.
  var removed: Set<String> { get }
  var requestCount: Int { get }
  /// Whether it can be put back to an earlier day.
  var isRestorable: Bool { get }
  /// Whether the process has lost what it is signed in with, and its user signs in again.
  var hasLostRights: Bool { get }

  /// Lends one process the destination.
  func lend<Value: Sendable>(
    by way: SessionWay,
    time: SessionTime,
    _ body: (any Destination) async -> Value
  ) async -> Value

  /// Carries out what arrived by now.
  func deliver(by now: Duration) async
  /// Reads what is there.
  func refresh() async

  /// Forgets the keys of requests, as after a day.
  func forgetKeys()
  /// Counts a record as one that may be otherwise than it was sent.
  func excuse(_ record: RecordID)
  func takeBackup()
  /// The rows of an earlier day; versions and identities go on, and keys are forgotten.
  func restoreBackup()
  /// Another device changes, removes or makes a row.
  func actAsOtherDevice(_ random: inout SeededRandom) async
}

/// One row at a destination.
struct SessionRow: Equatable {
  let id: String
  let entity: EntityName
  var name: String
  var value: Int
  /// The identity of the row of the team.
  var team: String?
  /// The identity of the row of the lead, or of the boss.
  var late: String?
  /// The address of the picture.
  var picture: String?
  var version: Int

  /// Whether it names a row, itself left out.
  func names(_ other: String) -> Bool { team == other || late == other && id != other }

  /// The record that it was made for; `nil` for a row of another device's.
  let maker: RecordID?
  /// Whether another device changed it, or sent it back.
  var isTouched = false
}
