package import Files
package import StageSupport

/// Why a fleet cannot set out; nothing has been started.
package enum FleetError: Error, Hashable, Sendable {
  /// The list, or a line of it, cannot be read.
  case badLine(list: String, line: Int, reason: String, cure: String)
  /// The list cannot be read.
  case file(FileError)
  /// A store cannot be migrated in a process of its own.
  case unstartable(store: String, reason: String)
  /// The share of this worker is not understood.
  case badShard(reason: String, cure: String)
  /// What a store came to cannot be written down.
  case unwritable(path: String, reason: String)
}

extension FleetError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badLine(let list, let line, let reason, _): "\(list), line \(line): \(reason)"
    case .file(let error): error.description
    case .unstartable(let store, let reason): "\(store) cannot be migrated: \(reason)"
    case .badShard(let reason, _): reason
    case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
    }
  }
}

extension FleetError: ExplainedError {
  package var failure: Failure {
    switch self {
    case .badLine(_, _, _, let cure), .badShard(_, let cure): Failure(.usage, self, cure: cure)
    case .file(let error):
      Failure(
        error.isOfTheSystem ? .other : .usage,
        self,
        cure: error.cure ?? "check the path of the list; - is standard input"
      )
    case .unstartable: Failure(.other, self, cure: "call this program by its whole path")
    case .unwritable:
      Failure(
        .other,
        self,
        cure: "check that the state folder can be written and the disk has space"
      )
    }
  }
}
