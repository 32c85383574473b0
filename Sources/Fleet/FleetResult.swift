import Checkpoint
package import JSONText
import Reporting
import RunHistory
import StageSupport

/// What one store of a fleet came to.
package struct FleetResult: Hashable, Sendable {
  package let name: String
  package let store: String
  /// The exit status of `ferry migrate`, or `nil` for a store that was not begun, or was rolled back.
  package var status: Int32?
  package var statusName: String
  /// How often it was tried.
  package var attempts: Int
  package var seconds: Double
  /// How many records ended in each bucket, with `read` for all of them; without those that are not.
  package var records: [String: Int]
  package var run: String?
  /// Why it did not come to its end.
  package var reason: String?
  package var cure: String?
  /// Whether an earlier call had done it, and this one left it alone.
  package var isEarlier: Bool

  package init(_ entry: FleetEntry, status: Int32?, statusName: String, attempts: Int = 0) {
    name = entry.name
    store = entry.store
    self.status = status
    self.statusName = statusName
    self.attempts = attempts
    seconds = 0
    records = [:]
    isEarlier = false
  }

  /// A store that no run has begun.
  package static func waiting(_ entry: FleetEntry) -> FleetResult {
    FleetResult(entry, status: nil, statusName: "waiting")
  }

  /// Takes over what a report of `ferry migrate` says.
  package mutating func take(report: JSONValue) {
    let end = report["end"]
    reason = end?["reason"]?.text
    cure = end?["cure"]?.text
    seconds = report["seconds"]?.double ?? 0
    for stage in report["stages"]?.array ?? [] where stage["type"] == "upload" {
      run = stage["run"]?.text
      for line in stage["records"]?.array ?? [] {
        for member in line.object?.members ?? [] {
          guard let count = member.value.integer, count > 0 else { continue }
          records[member.name, default: 0] += Int(count)
        }
      }
    }
  }

  /// Takes over that a rollback began after the run.
  mutating func take(_ rollback: ListedRun) {
    status = nil
    records = [:]
    let undone = rollback.run.undoes ?? ""
    switch rollback.end {
    case .finished, .rolledBack, .givenUp:
      statusName = "rolled back"
      reason = "run \(undone) was rolled back by \(rollback.run.id)"
    case .interrupted, .atWork, .rollbackUnfinished:
      statusName = "rollback \(rollback.end.words)"
      reason = "the rollback \(rollback.run.id) of run \(undone) has not come to its end"
      let command = RunCommand("resume", rollback.run.id, state: rollback.state, isUsual: false)
      cure = "`\(command.text)` completes it"
    }
  }

  /// Takes over why it is not known what became of the run.
  mutating func take(_ error: any Error) {
    let (end, failure) = (ExitStatus(error), Failure(error))
    (status, statusName) = (end.rawValue, end.name)
    (reason, cure) = (failure.message, failure.cure)
  }

  // MARK: - As JSON

  /// Reads what ``value`` wrote.
  package init?(_ value: JSONValue) {
    guard value["type"] == "fleet-store", let name = value["name"]?.text,
      let store = value["store"]?.text
    else { return nil }
    self.name = name
    self.store = store
    status = value["status"]?.integer.flatMap { Int32(exactly: $0) }
    statusName = value["statusName"]?.text ?? ""
    attempts = Int(value["attempts"]?.integer ?? 0)
    seconds = value["seconds"]?.double ?? 0
    var records: [String: Int] = [:]
    for member in value["records"]?.object?.members ?? [] {
      if let count = member.value.integer { records[member.name] = Int(count) }
    }
    self.records = records
    run = value["run"]?.text
    reason = value["reason"]?.text
    cure = value["cure"]?.text
    isEarlier = false
  }

  /// The result as a line of a report.
  package var value: JSONValue {
    var object: JSONObject = [
      "type": "fleet-store", "name": .string(name), "store": .string(store),
      "status": status.map { .whole($0) } ?? .null, "statusName": .string(statusName),
      "attempts": .whole(attempts), "seconds": .whole(Int64(seconds.rounded())),
      "earlier": .boolean(isEarlier), "records": .counts(records), "run": .text(run),
    ]
    if let reason { object["reason"] = .string(reason) }
    if let cure { object["cure"] = .string(cure) }
    return .object(object)
  }
}
