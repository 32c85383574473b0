import Checkpoint
import DestinationModel
import ExportPackage
import JSONText
import Records
import RequestMapping
import StageSupport
import SyncReading
import UploadPlanning
import ScratchFiles

extension UploadPlanner {
  /// How many records are read at the destination only to say what an update changes.
  private static let readLimit = 500
  private static let pageSize = 200

  /// Finds out which fields the planned updates change, and what they hold, and writes it down.
  ///
  /// What the plan has read already shows it for most. Of the others, some hundred are read; of those
  /// that are left, and of all that no reading was made of, nothing is said.
  func reportChanges(_ layout: PhaseLayout) async throws {
    var remainingReads = options.isOffline ? 0 : Self.readLimit
    for (number, phase) in layout.phases.enumerated()
    where phase.kind != .remove && number == layout.updatePhase(of: phase.entity) {
      var after: Int64 = 0
      while true {
        let place = after
        let page = try checkpoint.operations(
          of: run,
          phase: number,
          after: place,
          limit: Self.pageSize
        )
        guard let last = page.last else { break }
        after = last.number
        let updates = page.filter { $0.action == .update }
        let changes = try await changes(
          of: updates,
          entity: phase.entity,
          remainingReads: &remainingReads
        )
        try checkpoint.add(changes, of: run)
      }
    }
  }

  private func changes(
    of updates: [Operation],
    entity: EntityName,
    remainingReads: inout Int
  ) async throws -> [RecordChange] {
    var bodies: [Int64: [UInt8]] = [:]
    var unread: [Operation] = []
    for operation in updates {
      guard let serverID = operation.serverID else { continue }
      let remote = try snapshot.record(serverID, of: entity)
      if let remote { bodies[operation.number] = remote.body } else { unread.append(operation) }
    }
    let asked = unread.prefix(remainingReads)
    remainingReads -= asked.count
    if !asked.isEmpty {
      let found = try await read(asked.compactMap(\.serverID), of: entity)
      for operation in asked {
        guard let there = operation.serverID.flatMap({ found[$0] }), there.denial == nil else {
          continue
        }
        bodies[operation.number] = there.body
      }
    }
    var changes: [RecordChange] = []
    for operation in updates {
      guard let body = bodies[operation.number] else { continue }
      guard let (members, before) = change(by: operation, of: body) else { continue }
      changes.append(
        RecordChange(
          record: operation.record,
          members: members,
          before: package.kept(JSONValue.object(before).canonicalBytes)
        )
      )
    }
    return changes
  }

  /// The members that an update changes, with what they hold at the destination; `nil` where it refers to a
  /// record that is not there yet, which the upload reports.
  private func change(
    by operation: Operation,
    of body: [UInt8]
  ) -> (members: [String], before: JSONObject)? {
    let mapping = reader.mappings[operation.record.entity]
    do throws(MappingError) {
      let members = try mapping.changes(from: body, to: try reader.form(of: operation).update)
        .map(\.name)
      var before = JSONObject()
      let there = mapping.object(body)
      for name in members { before[name] = there?[name] }
      return (members, before)
    } catch {
      return nil
    }
  }

  private func read(
    _ serverIDs: [String],
    of entity: EntityName
  ) async throws -> RemoteRecords {
    try await reader.readPatience.attempt { () async throws(DestinationError) in
      try await reader.destination.records(of: entity, serverIDs: serverIDs)
    }
  }
}
