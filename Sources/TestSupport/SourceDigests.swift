import Files
import Foundation
import TextCodecs

/// What every file of a folder is: its bytes and when they were changed.
///
/// Two of them are equal when no file came, went, was written or touched.
package struct SourceDigests: Hashable, Sendable, CustomStringConvertible {
  /// One file.
  package struct Entry: Hashable, Sendable {
    package let sha256: String
    /// When its bytes were changed last, in seconds and nanoseconds since 1970.
    package let modified: String
    /// When anything about it was changed last.
    package let statusChanged: String
  }

  /// The files by their path below the folder.
  package let entries: [String: Entry]

  package init(of folder: String) throws {
    guard let names = FileManager.default.enumerator(atPath: folder) else {
      throw TestSupportError("\(folder) cannot be listed")
    }
    var entries: [String: Entry] = [:]
    while let name = names.nextObject() as? String {
      let path = "\(folder)/\(name)"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      entries[name] = try Entry(path)
    }
    self.entries = entries
  }

  package var description: String {
    entries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n")
  }
}

extension SourceDigests.Entry {
  fileprivate init(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else { throw TestSupportError("\(path): \(errno)") }
    #if canImport(Darwin)
    let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
    let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    let digest = try InputFile.sha256(of: path).digest
    self.init(
      sha256: digest.hexadecimal,
      modified: "\(modified.tv_sec).\(modified.tv_nsec)",
      statusChanged: "\(changed.tv_sec).\(changed.tv_nsec)"
    )
  }
}
