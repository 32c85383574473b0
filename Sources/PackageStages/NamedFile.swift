import ExportPackage
import Files
import StageSupport
package import StoreFiles
import StoreReading

/// What a file or folder is that a person named, by its first bytes.
///
/// A verb asks for it before it opens the file. Only the words of a refusal need a store's content, which
/// is read from a private copy.
package enum NamedFile: Hashable, Sendable {
  /// A store of an app: a database or an XML store.
  case store(SourceKind)
  case package, plan, checkpoint
  /// Any other file, no file, or one that cannot be read: the verb itself reports it.
  case other

  package init(_ path: String) {
    if Folder.exists(path) {
      self = Self.isPackage(path) ? .package : .other
      return
    }
    guard let kind = try? SourceKind(of: path) else {
      self = .other
      return
    }
    self =
      switch kind.use {
      case .store: .store(kind)
      case .document, .unread: .other
      case .other: kind == .plan ? .plan : kind == .checkpoint ? .checkpoint : .other
      }
  }

  /// Refuses what is not one of the wanted things, but something that another verb takes.
  ///
  /// - Parameters:
  ///   - wanted: What the verb takes.
  ///   - path: The file or folder that a person named.
  ///   - sends: Whether the verb sends records. Another one is answered with a verb that only reads.
  /// - Throws: `MigrationError.wrongFile`
  package static func expect(_ wanted: Wanted, at path: String, sends: Bool = false) throws {
    let found = NamedFile(path)
    guard !wanted.takes(found), let verb = found.verb(sends: sends) else { return }
    throw MigrationError.wrongFile(
      path: path,
      found: found.words(path),
      wanted: wanted.rawValue,
      hint: "ferry \(verb) \(path)"
    )
  }

  /// What a verb takes.
  package enum Wanted: String, Sendable {
    case package = "a package"
    case packageOrPlan = "a package or a saved plan"
    case store = "a store"
    case checkpoint = "a checkpoint"
    case profile = "a profile"
    /// A file of JSON or plain text.
    case text = "a text"
    case packageOrText = "a package or a text"

    fileprivate func takes(_ file: NamedFile) -> Bool {
      switch (self, file) {
      case (_, .other), (.package, .package), (.packageOrPlan, .package), (.packageOrPlan, .plan),
        (.packageOrText, .package), (.store, .store), (.checkpoint, .checkpoint):
        true
      default: false
      }
    }
  }

  private func words(_ path: String) -> String {
    switch self {
    case .store(.sqlite): Self.words(ofDatabase: path)
    case .store(let kind): kind.words
    case .package: "an export package"
    case .plan: "a plan that “ferry plan -o” saved"
    case .checkpoint: "a checkpoint, where Ferry remembers its runs"
    case .other: "something else"
    }
  }

  /// The verb that takes it.
  private func verb(sends: Bool) -> String? {
    switch self {
    case .store: sends ? "migrate" : "inspect"
    case .package, .plan: sends ? "upload" : "show"
    case .checkpoint: "checkpoint show"
    case .other: nil
    }
  }

  /// Whether a folder is an export package, be it one that cannot be opened here.
  private static func isPackage(_ path: String) -> Bool {
    do throws(PackageError) {
      _ = try PackageReader(path)
      return true
    } catch {
      switch error {
      case .file, .missing, .notAPackage: return false
      default: return true
      }
    }
  }

  /// What kind of store a database is; only that it is one where it cannot be opened.
  private static func words(ofDatabase path: String) -> String {
    let options = Source.Options(checksIntegrity: false, readsDamaged: true)
    guard let opened = try? OpenedSource(path, options: options) else {
      return "an SQLite database"
    }
    return switch opened.source.store.identity.kind {
    case .swiftData: "a SwiftData store"
    case .coreData: "a Core Data store"
    default: "an SQLite database"
    }
  }
}
