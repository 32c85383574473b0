import Records
import Synchronization

/// The pictures at a destination.
final class SessionFiles: Sendable {
  struct File: Equatable {
    let key: String
    /// The SHA-256 of its content; `nil` for a ticket to which nothing was put yet.
    var digest: String?
    /// Whether the destination was reported that it is there.
    var isConfirmed: Bool
    /// The key of the operation that put it there; empty where it is unknown.
    var maker = ""
  }

  private struct State {
    var files: [String: File] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  /// All that hold something, by their keys.
  var all: [File] {
    state.withLock { state in
      state.files.values.filter { $0.digest != nil }.sorted { $0.key < $1.key }
    }
  }

  subscript(key: String) -> File? { state.withLock { $0.files[key] } }

  /// The address by which a record names a file.
  static func address(of key: String) -> String { "https://files.test/\(key)" }

  /// The file that an address leads to.
  func file(at address: String) -> File? { all.first { Self.address(of: $0.key) == address } }

  // MARK: - A bucket

  /// The key of a content in the bucket.
  static func key(of digest: String) -> String { "pictures/\(digest)" }

  /// Puts a file into the bucket, where it is not there.
  func put(_ digest: String, by maker: String) {
    state.withLock { state in
      let key = Self.key(of: digest)
      guard state.files[key] == nil else { return }
      state.files[key] = File(key: key, digest: digest, isConfirmed: true, maker: maker)
    }
  }

  // MARK: - At a server that reports all of them

  /// Takes what is there.
  func replace(with files: [File]) {
    state.withLock { state in
      state.files = Dictionary(files.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    }
  }

  // MARK: - Tickets

  /// Gives the key that a file will have.
  func takeTicket(by maker: String) -> String {
    state.withLock { state in
      state.lastNumber += 1
      let key = "f\(state.lastNumber)"
      state.files[key] = File(key: key, isConfirmed: false, maker: maker)
      return key
    }
  }

  /// Puts a file where its ticket says; whether the ticket is good.
  func put(_ digest: String, at key: String) -> Bool {
    state.withLock { state in
      guard state.files[key]?.isConfirmed == false else { return false }
      state.files[key]?.digest = digest
      return true
    }
  }

  /// Counts a file as there; whether it is.
  func confirm(_ key: String) -> Bool {
    state.withLock { state in
      guard state.files[key]?.digest != nil else { return false }
      state.files[key]?.isConfirmed = true
      return true
    }
  }

  /// Removes a file; whether it existed.
  func remove(_ key: String) -> Bool { state.withLock { $0.files.removeValue(forKey: key) != nil } }
}
