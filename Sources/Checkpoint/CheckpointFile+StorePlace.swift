import GRDB

extension CheckpointFile {
  private static let storePlaceName = "store-place"

  /// Where the store lay when it was last sent from there, or `nil` where that was never told.
  package func storePlace() throws(CheckpointError) -> String? {
    let place = try read { database in try Self.fact(Self.storePlaceName, in: database) }
    return place.isEmpty ? nil : place
  }

  /// Writes down where the store lies.
  package func setStorePlace(_ place: String) throws(CheckpointError) {
    guard try storePlace() != place else { return }
    try write { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
        arguments: [Self.storePlaceName, place]
      )
    }
  }
}
