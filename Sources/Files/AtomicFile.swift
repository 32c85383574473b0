#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Several small files of one folder that appear whole, each in one step, with one wait for the
/// folder at the end.
package struct AtomicFile: Sendable {
  package let folder: String
  private var names: [String] = []
  private var gone: [String] = []

  /// - Parameter folder: The folder, which must be there.
  package init(in folder: String) {
    self.folder = folder
  }

  /// Writes a file's content beside its place, and waits until the disk has it; after a failure the
  /// drafts of all are gone.
  ///
  /// The draft's name begins with a dot; what an earlier process left of one is removed.
  package mutating func add(_ name: String, _ bytes: [UInt8]) throws(FileError) {
    names.append(name)
    do throws(FileError) {
      let draft = draftPath(name)
      if InputFile.isPresent(draft) { try Folder.remove(draft) }
      var file = try OutputFile(creating: draft)
      try file.write(bytes)
      _ = try file.finish()
    } catch {
      for name in names { try? Folder.remove(draftPath(name)) }
      throw error
    }
  }

  /// Has a file removed together with the others' appearing.
  package mutating func remove(_ name: String) { gone.append(name) }

  /// Puts every file in its place, and waits until the disk has the folder.
  package func publish() throws(FileError) {
    for name in names {
      let path = "\(folder)/\(name)"
      guard unsafe rename(draftPath(name), path) == 0 else {
        throw FileError(.rename, path, number: errno)
      }
    }
    for name in gone { try Folder.remove("\(folder)/\(name)") }
    try Folder.sync(folder)
  }

  /// What a file is called before it is in its place.
  package static func draftName(_ name: String) -> String { ".\(name).draft" }

  /// Whether a file was left by a run that was killed.
  package static func isDraft(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(".draft")
  }

  private func draftPath(_ name: String) -> String { "\(folder)/\(Self.draftName(name))" }
}
