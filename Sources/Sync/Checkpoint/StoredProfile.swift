import GRDB

/// A profile as a run keeps it: a run ends, and is rolled back, with the profile that it began with.
package struct StoredProfile: Hashable, Sendable {
  /// The digest of what it means.
  package let digest: String
  /// The profile, with short forms and defaults written out.
  package let yaml: String

  package init(digest: String, yaml: String) {
    self.digest = digest
    self.yaml = yaml
  }

  /// Reads the profile of a run; a run without one is damage.
  init(of run: RunRecord, in database: Database) throws {
    let yaml = try String.fetchOne(
      database,
      sql: "SELECT yaml FROM profile WHERE digest = ?",
      arguments: [run.profile]
    )
    guard let yaml else {
      throw DamagedPart(reason: "the profile of its run \(run.id) is not in it")
    }
    self.init(digest: run.profile, yaml: yaml)
  }

  /// Writes it down, unless an earlier run began with the same.
  func insert(in database: Database) throws {
    try database.execute(
      sql: "INSERT OR IGNORE INTO profile (digest, yaml) VALUES (?, ?)",
      arguments: [digest, yaml]
    )
  }

  /// Drops each profile that no run refers to.
  static func dropUnused(in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM profile WHERE digest NOT IN (SELECT profile FROM run)"
    )
  }
}
