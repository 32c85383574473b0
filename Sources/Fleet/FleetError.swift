/// Why a fleet cannot set out; nothing has been started.
package enum FleetError: Error, Hashable, Sendable {
  /// The list, or a line of it, cannot be read.
  case badLine(list: String, line: Int, reason: String, cure: String)
  /// The list cannot be opened.
  case unreadable(list: String, reason: String)
  /// The share of this worker is not understood.
  case badShard(reason: String, cure: String)
  /// What a store came to cannot be written down.
  case unwritable(path: String, reason: String)
}

extension FleetError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badLine(let list, let line, let reason, _): "\(list), line \(line): \(reason)"
    case .unreadable(let list, let reason): "the list \(list) cannot be read: \(reason)"
    case .badShard(let reason, _): reason
    case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
    }
  }

  /// What a person can do about it.
  package var cure: String {
    switch self {
    case .badLine(_, _, _, let cure), .badShard(_, let cure): cure
    case .unreadable: "check the path; - is standard input"
    case .unwritable: "check that the state folder can be written and the disk has space"
    }
  }
}
