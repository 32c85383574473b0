/// Why a checkpoint cannot be used.
package enum CheckpointError: Error, Hashable, Sendable {
  /// Another run holds it; the process number is what that run wrote down.
  case locked(path: String, holder: String?)
  /// It belongs to something else: what differs, what the checkpoint says, what this run says.
  case belongsElsewhere(what: String, recorded: String, now: String)
  /// Written by a version of Ferry that lays checkpoints out otherwise.
  case otherFormat(path: String, format: Int)
  /// A file where a saved plan should be is not one.
  case notAPlan(path: String)
  /// A file where a checkpoint should be does not say of itself that it is one.
  case notACheckpoint(path: String)
  /// SQLite says that the file is not sound.
  case damaged(path: String, reason: String)
  /// It is there, and the system does not let it be read.
  case unreadable(path: String, reason: String)
  /// It, or a file that belongs to it, is a symbolic link, and none is followed.
  case link(path: String, link: String)
  /// The disk or the folder said no.
  case unwritable(path: String, reason: String)
  /// The disk has no space for what is to be written down.
  case full(path: String)
  /// Another run took the checkpoint over while this one still thought it had it.
  case overtaken(path: String)
}

extension CheckpointError {
  /// Whether it is about what one checkpoint is, and says nothing of the others in its folder.
  package var isOfOneFile: Bool {
    switch self {
    case .otherFormat, .notAPlan, .notACheckpoint, .damaged, .unreadable, .link: true
    case .locked, .belongsElsewhere, .unwritable, .full, .overtaken: false
    }
  }

  /// The same about the checkpoint at `path`, of which a private copy was looked at.
  package func about(_ path: String) -> CheckpointError {
    switch self {
    case .locked(_, let holder): .locked(path: path, holder: holder)
    case .belongsElsewhere: self
    case .otherFormat(_, let format): .otherFormat(path: path, format: format)
    case .notAPlan: .notAPlan(path: path)
    case .notACheckpoint: .notACheckpoint(path: path)
    case .damaged(_, let reason): .damaged(path: path, reason: reason)
    case .unreadable(_, let reason): .unreadable(path: path, reason: reason)
    case .link(_, let link): .link(path: path, link: link)
    case .unwritable(_, let reason): .unwritable(path: path, reason: reason)
    case .full: .full(path: path)
    case .overtaken: .overtaken(path: path)
    }
  }
}

extension CheckpointError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .locked(let path, let holder):
      "another run holds the checkpoint \(path)\(holder.map { " (process \($0))" } ?? "")"
    case .belongsElsewhere(let what, let recorded, let now):
      "the checkpoint belongs to another \(what): it says \(recorded), this run says \(now)"
    case .otherFormat(let path, let format):
      """
      the checkpoint \(path) has format \(format), which \(format > CheckpointSchema.format ? "a newer" : "an older") \
      ferry wrote; this one reads format \(CheckpointSchema.format)
      """
    case .notAPlan(let path): "\(path) is not a plan that “ferry plan -o” saved"
    case .notACheckpoint(let path): "\(path) is not a checkpoint of ferry"
    case .damaged(let path, let reason): "the checkpoint \(path) is damaged: \(reason)"
    case .unreadable(let path, let reason): "the checkpoint \(path) cannot be read: \(reason)"
    case .link(let path, let link):
      "the checkpoint \(path) is not opened: \(link) is a symbolic link, and none is followed there"
    case .unwritable(let path, let reason): "the checkpoint \(path) cannot be written: \(reason)"
    case .full(let path): "cannot write \(path): the disk is full"
    case .overtaken(let path): "another run took over the checkpoint \(path)"
    }
  }
}
