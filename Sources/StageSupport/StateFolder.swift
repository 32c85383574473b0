package import Checkpoint
import Crypto
package import Files
import Foundation
import Records

/// The folder in which Ferry remembers: checkpoints, unfinished stages, packages of `migrate`.
///
/// ```
/// STATE/
///   checkpoints/   one SQLite file for each store, account and profile
///   migrations/    how far each `ferry migrate` is
///   packages/      the packages that `ferry migrate` made
///   decisions/     conflicts that wait for a person, by store, account and profile
///   quarantine/    records that were quarantined, by the digest of their package
///   fleet/         what `ferry fleet` remembers: a folder for each store, with a state folder in it
/// ```
package struct StateFolder: Hashable, Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// The one that is taken where none was named: `FERRY_STATE_DIR`, or `ferry` in the user's folder for state.
  package static var usual: StateFolder {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["FERRY_STATE_DIR"], !path.isEmpty { return StateFolder(path: path) }
    let home = environment["HOME"] ?? NSHomeDirectory()
    #if canImport(Darwin)
    return StateFolder(path: "\(home)/Library/Application Support/ferry")
    #else
    let folder = environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    return StateFolder(path: "\(folder ?? "\(home)/.local/state")/ferry")
    #endif
  }

  package var checkpoints: CheckpointFolder { CheckpointFolder(path: "\(path)/checkpoints") }
  package var packages: String { "\(path)/packages" }
  package var quarantine: String { "\(path)/quarantine" }
  package var migrations: String { "\(path)/migrations" }
  /// All that Ferry remembers, by kind.
  package var folders: [String] { [checkpoints.path, packages, quarantine, migrations] }

  package var fleet: String { "\(path)/fleet" }

  /// The state folder of a store that `ferry fleet` migrates, by the name of the store's folder.
  package func ofFleetStore(_ name: String) -> StateFolder {
    StateFolder(path: "\(fleet)/\(name)/state")
  }

  /// The state folders of all stores that `ferry fleet` has begun, by name, without those that a link leads to.
  package func ofFleet() throws(FileError) -> [StateFolder] {
    guard Folder.isReal(fleet) else { return [] }
    return try Folder.names(in: fleet).filter { Folder.isReal("\(fleet)/\($0)") }
      .map(ofFleetStore).filter { Folder.isReal($0.path) }
  }

  /// Refuses a state folder in which a link lies: what is written there would be led away by it.
  ///
  /// The folder itself may be a link: that is the choice of who named it.
  package func refuseLinks() throws {
    // A folder that cannot be listed says so to anyone who needs it.
    let names = (try? Folder.names(in: path)) ?? []
    guard let link = Folder.firstLink(among: names.map { "\(path)/\($0)" }) else { return }
    throw FileError(.follow, link, number: 0)
  }

  /// What the names of all runs of a checkpoint begin with, before a hyphen and the run's number.
  package static func runName(of binding: CheckpointBinding) -> String {
    let parts = [binding.store, binding.origin, binding.account, binding.profile]
    return String(shortName(of: parts).prefix(6))
  }

  /// A short name made of some texts: the same texts always give the same name.
  package static func shortName(of parts: [String]) -> String {
    let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
    let digest = Records.Digest(bytes: SHA256.hash(data: Array(text.utf8)))
    return String(digest?.description.prefix(16) ?? "")
  }
}
