import Backends
import Records
import UploadPlanning

extension OperationDesk {
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
}
