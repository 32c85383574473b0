import Crypto
import Files
import GRDB
package import Records

/// The folder that all checkpoints of this user lie in.
package struct CheckpointFolder: Hashable, Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// Where the checkpoint of a binding lies: one for each store, account and profile.
  package func file(for binding: CheckpointBinding) -> String {
    let parts = [binding.store, binding.origin, binding.account, binding.profile]
    let digest = SHA256.hash(data: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
    let text = Records.Digest(bytes: digest)?.description.prefix(16) ?? ""
    return "\(path)/\(binding.profile)-\(text).sqlite"
  }

  /// The checkpoints that are there, with what each belongs to; unreadable ones are left out.
  package func bindings() throws(CheckpointError) -> [(path: String, binding: CheckpointBinding)] {
    guard Folder.exists(path) else { return [] }
    let names: [String]
    do throws(FileError) {
      names = try Folder.names(in: path).filter { $0.hasSuffix(".sqlite") }
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
    return names.compactMap { name in
      let file = "\(path)/\(name)"
      return CheckpointFile.binding(ofFileAt: file).map { (file, $0) }
    }
  }
}

extension CheckpointFile {
  /// What the checkpoint at `path` belongs to, read without taking it; `nil` when it cannot be read.
  package static func binding(ofFileAt path: String) -> CheckpointBinding? {
    try? reading(path) { database in
      CheckpointBinding(
        store: try fact("store", in: database), origin: try fact("origin", in: database),
        account: try fact("account", in: database), profile: try fact("profile", in: database),
        profileDigest: try fact("profile-digest", in: database))
    }
  }

  /// Whether the checkpoint at `path` holds an identity of the destination, without taking it.
  package static func holds(
    _ serverID: String, of entity: EntityName, inFileAt path: String
  ) throws(CheckpointError) -> Bool {
    do {
      return try reading(path) { database in
        try Bool.fetchOne(
          database,
          sql: "SELECT EXISTS (SELECT 1 FROM record WHERE entity = ? AND server_id = ?)",
          arguments: [entity.text, serverID]) ?? false
      }
    } catch {
      throw translate(error, path: path)
    }
  }

  static func reading<Value>(
    _ path: String, _ body: (Database) throws -> Value
  ) throws -> Value {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    return try DatabaseQueue(path: path, configuration: configuration).read(body)
  }
}
