import GRDB

extension CheckpointFile {
  /// The digest of the profile with which all known records were last planned and sent, or `nil`.
  package func agreement() throws(CheckpointError) -> String? {
    try read { database in try Self.agreement("settled-profile", in: database) }
  }

  /// The digest of the profile of the last plan, where it left no known record in doubt.
  package func plannedAgreement() throws(CheckpointError) -> String? {
    try read { database in try Self.agreement("planned-profile", in: database) }
  }

  /// Writes down which profile a plan was made with, and whether all of it was carried out.
  package func setAgreement(_ digest: String?, isSettled: Bool) throws(CheckpointError) {
    try write { database in
      for (name, value) in [
        ("planned-profile", digest), ("settled-profile", isSettled ? digest : nil),
      ] {
        try database.execute(
          sql: "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
          arguments: [name, value ?? ""]
        )
      }
    }
  }

  private static func agreement(_ name: String, in database: Database) throws -> String? {
    let value = try fact(name, in: database)
    return value.isEmpty ? nil : value
  }
}
