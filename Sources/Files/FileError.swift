/// What the operating system said no to, and about which path.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Operation: String, Sendable {
    case open, create, read, write, sync, close, rename, remove, list, inspect, lock
    case makeFolder = "make the folder"
    case clone = "copy"
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

  package var description: String {
    "cannot \(operation.rawValue) \(path): \(systemMessage(number))"
  }

  /// Whether it was about putting something on the disk, and not about what is there already.
  package var isAboutWriting: Bool {
    switch operation {
    case .create, .write, .sync, .close, .rename, .remove, .makeFolder, .clone, .lock: true
    case .open, .read, .list, .inspect: false
    }
  }

  /// Whether the path is simply not there.
  package var isMissing: Bool { number == missingEntry }
}
