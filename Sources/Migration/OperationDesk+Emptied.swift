import Checkpoint
import DestinationModel
import ExportPackage
import JSONText
import Profiles
import Records
import UploadPlanning

// Members that were emptied here, or changed, where no record can be read alone: the row of a list, which lacks
// them, is all that there is.

extension OperationDesk {
  func kept(_ value: [UInt8]) -> [UInt8] { package.map { $0.kept(value) } ?? value }

  /// What an operation puts back in members that the row of its record lacks.
  func unseen(
    of operation: Operation,
    in row: [UInt8]
  ) throws(WireRefusal) -> UnseenMembers {
    let wire = wires[operation.record.entity]
    guard let before = operation.before, let there = wire.object(row),
      try restoration(of: operation) == .whole
    else { return UnseenMembers() }
    return UnseenMembers(keptWith: try opened(before), wire).lacking(in: there)
  }

  func doubt(leavingOut names: [String]) -> String {
    "nobody can tell whether it arrived, as the destination's list leaves out "
      + names.joined(separator: ", ")
  }
}
