import RealmFiles
package import StoreFiles

extension StoreReader {
  static let realm = StoreReader(kind: .realm) { copy, options throws(StoreError) in
    try RealmStore(copy, key: options.realmKey)
  }
}

extension SourceKind {
  package static let realm = SourceKind(
    "realm",
    "Realm, file formats 2 to 11, 20, 22 to 24",
    "a Realm database",
    .store,
    by: "`T-DB` at byte 16, or the shape of encrypted pages",
    losing: "the history of Realm's sync, and [little else](realm.md#what-becomes-of-each-type)",
    marks: [Mark("T-DB", at: 16)],
    looks: EncryptedLook.matches,
    refusal: refusal(ofRealm:),
    cure: "give the database with which the app works"
  )

  /// Before Realm upgrades a file, it copies it to `NAME.v9.backup.realm`, 9 being the old format.
  private static func refusal(ofRealm path: String) -> String? {
    let parts = (path.split(separator: "/").last ?? "").split(separator: ".")
    guard parts.count >= 4, parts.suffix(2) == ["backup", "realm"],
      let version = parts.dropLast(2).last, version.hasPrefix("v"), Int(version.dropFirst()) != nil
    else { return nil }
    return "Realm copied the database to it before an upgrade; name it to have it read"
  }
}

extension StoreIdentity.Kind {
  /// A Realm database.
  package static let realm = Self("realm", "Realm database", "realm", .shared)
}
