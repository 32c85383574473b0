import GRDB

extension CheckpointFile {
  private static let storePathName = "store-path"

  /// The path of the store that the last upload sent; `nil` where that has an identity of its own.
  package func storePath() throws(CheckpointError) -> String? {
    let path = try read { database in try Self.fact(Self.storePathName, in: database) }
    return path.isEmpty ? nil : path
  }

  /// Binds the checkpoint to the store at this path.
  package func setStorePath(_ path: String) throws(CheckpointError) {
    guard try storePath() != path else { return }
    try write { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
        arguments: [Self.storePathName, path]
      )
    }
  }
}
