import Checkpoint
import DestinationModel
import Records
import RequestMapping
import SyncReading
import UploadPlanning

extension OperationContext {
  /// Why records and files stay for the sake of records that name them: as long as those are there.
  static let dependents = CheckpointFile.dependents
  static let nameIt = "records that stay at the destination name it"
  /// Why they stay as long as a checkpoint cannot be read.
  static let mayBeHeld = "another store may have it too: its checkpoint cannot be read"

  /// Why they stay for the sake of another store.
  static func isOf(_ holder: String) -> String { "the store of \(holder) has it too" }

  /// The reasons of these that may be gone when a rollback is asked for again, as patterns of SQL.
  package static let passingReasons = [dependents, nameIt, mayBeHeld, isOf("%")]

  /// Why what an operation rolls back has to stay, where the destination has no way to roll it back.
  func obstacle(toUndoing operation: Operation) -> String? {
    let traits = reader.traits
    let entity = operation.record.entity
    return switch operation.action {
    case .unupload where !traits.removesFiles: "the destination has no route that removes a file"
    case .uncreate where !traits.carriesOut(.delete, on: entity),
      .discard where !traits.carriesOut(.delete, on: entity):
      "the destination has no route that removes it"
    case .restore where !traits.carriesOut(.update, on: entity):
      "the destination has no route that changes it"
    default: nil
    }
  }

  /// Whether an operation removes what it is about, or is a step on the way: what a run made no longer names
  /// others before it goes.
  func leadsToRemoval(_ operation: Operation) -> Bool {
    if operation.action.removes { return true }
    guard operation.action == .restore else { return false }
    // What cannot be determined here stays as well.
    return (try? reader.restoration(of: operation)) != .whole
  }

  /// Why what is to be removed has to stay for the sake of another store of this user; `nil` where none is
  /// known to have it.
  ///
  /// Of a store that was rolled back itself, a record holds nothing any more: its next run looks for it anew.
  /// A file does, as no run sends one again that it found. A checkpoint that cannot be read may hold it: what
  /// cannot be excluded is kept.
  func reasonToKeepForOthers(_ serverID: String, of entity: EntityName) -> String? {
    if let holder = siblings.first(where: { holds($0, serverID, entity) }) {
      return Self.isOf(holder.binding.store)
    }
    return mayBeHeldUnread ? Self.mayBeHeld : nil
  }

  private func holds(_ sibling: CheckpointView, _ serverID: String, _ entity: EntityName) -> Bool {
    do throws(CheckpointError) {
      guard try sibling.holds(serverID, of: entity) else { return false }
      guard entity.mediaCategory == nil else { return true }
      return try !sibling.runs().areRolledBack
    } catch {
      // One that cannot be read may hold it: what cannot be excluded is kept.
      return true
    }
  }
}
