package import AgeEncryption
package import Checkpoint
import JSONText
import Profiles
package import Records
import RequestMapping
package import StageSupport

/// A run of a checkpoint, or a saved plan, that is only read.
package struct RecordedRun: Sendable {
  package let run: RunRecord
  package let binding: CheckpointBinding
  private let checkpoint: CheckpointView
  private let profile: Profile
  private let identities: [AgeIdentity]

  /// Reads a run of the state folder.
  ///
  /// - Parameters:
  ///   - found: The run.
  ///   - identities: What opens values that are encrypted as the package is.
  /// - Throws: An error when the checkpoint, or the profile in it, cannot be read.
  package init(_ found: FoundRun, identities: [AgeIdentity]) throws {
    run = found.run
    checkpoint = found.checkpoint
    binding = found.binding
    profile = try found.profile()
    self.identities = identities
  }

  /// Reads a saved plan.
  ///
  /// - Parameters:
  ///   - path: The plan's file.
  ///   - identities: What opens values that are encrypted as the package is.
  /// - Throws: An error when the file is no plan, or is damaged.
  package init(plan path: String, identities: [AgeIdentity]) throws {
    let (plan, view) = (try PlanFile(path), try CheckpointView(path, followsLink: true))
    guard let view else { throw CheckpointError.damaged(path: path, reason: "it is empty") }
    run = plan.run
    binding = plan.binding
    checkpoint = view
    profile = try Profile(of: plan.run, in: view)
    self.identities = identities
  }

  /// Whether the run's profile has this entity.
  package func describes(_ entity: EntityName) -> Bool { profile.entity(entity) != nil }

  /// Gives what becomes of each record, in the order in which the operations are carried out.
  package func forEachDiff(
    _ filter: OperationFilter,
    _ body: (RecordDiff) throws -> Void
  ) throws {
    let mappings = RequestMappings(
      profile: profile,
      references: [:],
      keyMembers: [:],
      queue: .none,
      account: binding.account
    )
    let reader = DiffReader(mappings, open: opened) { [checkpoint] record in
      do throws(CheckpointError) { return try checkpoint.serverID(of: record) } catch { return nil }
    }
    try reader.forEachDiff(body) { after throws(CheckpointError) in
      try checkpoint.recorded(of: run, filter, after: after, limit: DiffReader.pageSize)
    }
  }

  private func opened(_ value: [UInt8]) -> [UInt8]? {
    guard AgeText.isSealed(value) else { return value }
    do throws(AgeError) { return try AgeText.opened(value, with: identities) } catch { return nil }
  }
}

extension DiffReader {
  /// How many operations are read at once.
  package static let pageSize = 200

  /// Gives the diff of each operation that `page` gives, a page at a time.
  package func forEachDiff(
    _ body: (RecordDiff) throws -> Void,
    page: (_ after: Int64) throws(CheckpointError) -> [RecordedOperation]
  ) throws {
    var after: Int64 = 0
    while true {
      let place = after
      let operations = try page(place)
      guard let last = operations.last else { return }
      after = last.number
      for operation in operations { try body(diff(of: operation)) }
    }
  }
}
