import Backends
import Checkpoint
import Records
import UploadPlanning

extension OperationDesk {
  /// Why records and files stay for the sake of records that name them: as long as those are there.
  static let hangOnIt = "records that stay at the destination hang on it"
  static let nameIt = "records that stay at the destination name it"

  /// Why what an operation takes back has to stay, where the destination has no way to take it back.
  func obstacle(toUndoing operation: Operation) -> String? {
    let traits = destination.traits
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

  /// The other store of this user whose checkpoint holds the same record, if there is one.
  func otherHolder(of serverID: String, entity: EntityName) -> String? {
    siblings.first { sibling in
      // A sibling that cannot be read may hold it: what cannot be excluded is kept.
      (try? sibling.holds(serverID, of: entity)) ?? true
    }?.binding.store
  }
}
