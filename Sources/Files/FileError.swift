/// What the operating system said no to, and about which path.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Operation: String, Sendable {
    case open, create, read, write, sync, close, rename, remove, list, inspect, lock
    case makeFolder = "make the folder"
    case clone = "copy"
    case trust = "trust the folder"
    case follow = "follow the link"
    case decrypt
  }

  package let operation: Operation
  package let path: String
  /// The system's `errno`.
  package let number: Int32

  package init(_ operation: Operation, _ path: String, number: Int32) {
    self.operation = operation
    self.path = path
    self.number = number
  }

  /// An encrypted file is not as it was written.
  package init(tamperedWith path: String) {
    self.init(.decrypt, path, number: badMessage)
  }

  /// A file was written into after some of it had been read.
  package init(changedWhileRead path: String) {
    self.init(.read, path, number: staleContent)
  }

  package var description: String {
    let reason =
      switch operation {
      case .trust: "it is a link, another user's, or open to other users"
      case .follow: "what is written there belongs into a folder of its own"
      case .decrypt: "it was changed, cut or added to, or is of another package"
      case .open where number == notPlain: "it is not a plain file"
      case .read where number == staleContent: "it was changed while it was read"
      default: systemMessage(number)
      }
    return "cannot \(operation.rawValue) \(path): \(reason)"
  }

  /// What a person can do about it; `nil` where that depends on what the file is for.
  package var cure: String? {
    if operation == .trust { return "remove it, or close it to others: chmod 700 \(path)" }
    if operation == .follow { return "remove it, or put the folder itself in its place" }
    if deniedRights.contains(number) {
      return isOfTheSystem
        ? "let this user write to \(Folder.parentPath(of: path)), or name another place"
        : "let this user read it, and enter the folders that it is in"
    }
    if operation == .read, number == fileTooLarge {
      return "check that it is the right one: no such file is that large"
    }
    if operation == .read, number == staleContent {
      return "try again once nothing writes to it, or name a copy"
    }
    if operation == .open, number == notPlain {
      return "name a file; what a folder, a pipe or a device holds is not read"
    }
    return systemCure(number)
  }

  /// Whether it was about putting something on the disk, or the system had no means left, and not
  /// about what is there already.
  package var isOfTheSystem: Bool {
    if isForWantOfMeans { return true }
    return switch operation {
    case .create, .write, .sync, .close, .rename, .remove, .makeFolder, .clone, .lock, .trust,
      .follow:
      true
    case .open, .read, .list, .inspect, .decrypt: false
    }
  }

  /// Whether the system had no open files or no memory left, which says nothing about the path.
  package var isForWantOfMeans: Bool { tooLittleIsLeft.contains(number) }

  /// Whether the disk had no space left, or this user no share of it: with space, the same goes on.
  package var isDiskFull: Bool { outOfSpaceErrors.contains(number) }

  /// Whether something may be there that could not be looked at: it is neither gone nor a link nor of
  /// a kind that is never read.
  package var hidesWhatIsThere: Bool { !knownKinds.contains(number) }

  /// Whether something else has the name already.
  package var isTaken: Bool { number == alreadyPresent || number == notEmpty }

  /// Whether the path is simply not there.
  package var isMissing: Bool { number == missingEntry }
}
