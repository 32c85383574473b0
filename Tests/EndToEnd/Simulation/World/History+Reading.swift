import Records
import UploadPlanning

// Records that the destination cannot read alone for a while.

extension History {
  /// Reads the content at the destination for the operations of a flight.
  ///
  /// As many readings as the destination takes at once are under way when one of them fails; no more are
  /// asked for then.
  mutating func read(_ operations: [Operation]) throws(Disk.Failure) -> [Int64: Reading] {
    var readings: [Int64: Reading] = [:]
    var askedCount = operations.count
    for (place, operation) in operations.enumerated() {
      let number = operation.number
      if place >= askedCount {
        readings[number] = .unasked
      } else if try isReadAlone(operation), let fault = server.failReading(for: operation) {
        readings[number] = unread(operation, fault)
        askedCount = min(askedCount, place + scenario.concurrency)
      } else {
        readings[number] = try reading(for: operation)
      }
    }
    return readings
  }

  private func unread(_ operation: Operation, _ fault: Scenario.ReadingFault) -> Reading {
    plant == .unreadSentAnyway
      ? .ready(before: operation.before ?? [], version: operation.version)
      : .failed(reason: Self.unreadReason, isUnanswered: fault.isUnanswered)
  }

  /// What a look-up comes to for those operations whose record it reads alone and cannot; `nil` where one of
  /// these readings comes to no answer, which says nothing of any of them.
  mutating func failedLookUps(
    _ operations: [Operation]
  ) throws(Disk.Failure) -> [Int64: LookUpResult]? {
    var failed: [Int64: LookUpResult] = [:]
    for operation in operations {
      guard try isReadAlone(operation), let fault = server.failReading(of: operation.record) else {
        continue
      }
      if fault.isUnanswered { return nil }
      failed[operation.number] = .failed(reason: Self.unreadReason)
    }
    return failed
  }

  /// Whether a record is read by itself for an operation: it is known where it is, or its identity is
  /// chosen on this side.
  private func isReadAlone(_ operation: Operation) throws(Disk.Failure) -> Bool {
    if operation.action == .create, let kind = Kind(operation.record.entity) {
      return scenario.replay(of: kind) == .id
    }
    let known = try disk.known(operation.record)
    return operation.action.needsReading && (operation.serverID ?? known?.serverID) != nil
  }

  private static var unreadReason: String { "the record cannot be read" }

  /// Uploads a package once more, without any fault, where its run left what could not be read: that has
  /// to be sent then, unless another device worked there meanwhile.
  mutating func uploadWhatWasLeft(
    of package: Int,
    since lastRun: Int
  ) throws(Disk.Failure) {
    guard violations.isEmpty, let run = try disk.runs().last, run.number > lastRun,
      run.stage == .finished
    else { return }
    let left = try disk.operations(of: run.number).filter(server.isLeftUnread)
    guard !left.isEmpty else { return }
    log("all can be read again, and what was left is uploaded")
    let owed = isEdited || isRestored ? [] : left
    let faults = faultsLeft
    faultsLeft = 0
    server.endReadingFaults()
    isEdited = false
    isRestored = false
    let before = server.rows
    try upload(package, mayBeLeft: false)
    try check(against: before, since: run.number, owed: owed)
    faultsLeft = faults
  }
}
