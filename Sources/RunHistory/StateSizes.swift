import Files
package import JSONText
import Reporting
package import StageSupport

/// How many bytes lie in each part of a state folder.
package struct StateSizes: Hashable, Sendable {
  /// A part of the state folder.
  package struct Part: Hashable, Sendable {
    /// Its name below the state folder.
    package let name: String
    /// The bytes of all its files together.
    package let byteCount: Int64
  }

  package let path: String
  /// The parts that are there, by name.
  package let parts: [Part]

  /// Counts without opening any file.
  ///
  /// - Throws: `FileError` when a folder cannot be listed.
  package init(of state: StateFolder) throws {
    path = state.path
    guard Folder.exists(state.path) else {
      parts = []
      return
    }
    parts = try Folder.names(in: state.path).map { name in
      Part(name: name, byteCount: try Folder.byteCount(of: "\(state.path)/\(name)"))
    }
  }

  package var byteCount: Int64 { parts.reduce(0) { $0 + $1.byteCount } }

  /// One line, and what to type for less; nothing where nothing lies there.
  package var lines: [String] {
    let used = parts.filter { $0.byteCount > 0 }
    guard !used.isEmpty else { return [] }
    let list = used.map { "\($0.name) \(Figures.bytes($0.byteCount))" }.joined(separator: ", ")
    return [
      "\(path): \(Figures.bytes(byteCount)) (\(list))",
      "  `ferry prune -n` lists what no run needs any more",
    ].map(\.plainForTerminal)
  }

  package var value: JSONValue {
    .object([
      "path": .string(path), "bytes": .whole(byteCount),
      "parts": .list(parts) { ["name": .string($0.name), "bytes": .whole($0.byteCount)] },
    ])
  }
}
