import JSONText
import Records
import StoreFiles

/// What of a database of Couchbase Lite is not in its rows, or is there under another name.
struct CouchbaseFindings {
  let all: [Finding]

  init(_ reading: CouchbaseReading, _ tables: [FileTable]) {
    var findings: [Finding] = []
    for (place, tally) in reading.tallies {
      let table = tables[place]
      findings += [
        Self.deleted(tally, table.name), Self.conflicted(tally, table.name),
        Self.expiring(tally, table.name), Self.nested(tally, table.name),
      ].compactMap(\.self)
    }
    all = findings + [Self.missing(reading.blobs)].compactMap(\.self)
  }

  private static func documents(_ count: Int64) -> String {
    count == 1 ? "1 document" : "\(count) documents"
  }

  private static func deleted(_ tally: CouchbaseReading.Tally, _ entity: EntityName) -> Finding? {
    guard tally.deletedCount > 0 else { return nil }
    return Finding(
      code: "couchbase.documents-deleted",
      severity: .note,
      entity: entity,
      cause: "the app deleted \(documents(tally.deletedCount)), of which the database keeps a "
        + "trace: they are left out",
      cure: "no action is needed"
    )
  }

  private static func conflicted(
    _ tally: CouchbaseReading.Tally,
    _ entity: EntityName
  ) -> Finding? {
    guard tally.conflictedCount > 0 else { return nil }
    return Finding(
      code: "couchbase.documents-conflicted",
      severity: .warning,
      entity: entity,
      cause: "the app did not resolve the conflict of "
        + "\(documents(Int64(tally.conflictedCount))): the current revision is read, and the others are "
        + "left out",
      cure: "if the other revisions count, have the app resolve the conflicts, and give a new copy"
    )
  }

  private static func expiring(
    _ tally: CouchbaseReading.Tally,
    _ entity: EntityName
  ) -> Finding? {
    guard tally.expiringCount > 0 else { return nil }
    let count = documents(Int64(tally.expiringCount))
    return Finding(
      code: "couchbase.documents-expiring",
      severity: .warning,
      entity: entity,
      cause: "Couchbase Lite deletes \(count) at a time that is not in the records",
      cure:
        "if the destination has to delete them, have the app write the time into the documents"
    )
  }

  private static func nested(_ tally: CouchbaseReading.Tally, _ entity: EntityName) -> Finding? {
    guard tally.nestedBlobCount > 0 else { return nil }
    return Finding(
      code: "couchbase.blobs-in-lists",
      severity: .warning,
      entity: entity,
      cause: (tally.nestedBlobCount == 1 ? "1 blob lies" : "\(tally.nestedBlobCount) blobs lie")
        + " in arrays, or beside 200 others: the records have the digests, and no attribute has the names "
        + "of the files",
      cure: "if the files are to be sent, have the app keep each in a member of its own"
    )
  }

  private static func missing(_ blobs: CouchbaseBlobTally) -> Finding? {
    guard blobs.count > 0 else { return nil }
    guard blobs.files != nil else {
      return Finding(
        code: "couchbase.attachments-missing",
        severity: .warning,
        cause: "the documents name \(blobs.count) files, and the folder Attachments was not found "
          + "beside the database",
        cure:
          "give the whole .cblite2 folder; a media field of the profile finds the files of a backup"
      )
    }
    guard !blobs.missing.isEmpty else { return nil }
    let names = blobs.missing.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return Finding(
      code: "couchbase.files-missing",
      severity: .warning,
      cause: "\(names.count) of the files that documents name "
        + (names.count == 1 ? "is" : "are") + " missing in Attachments: "
        + KeyList.text(names),
      cure: "give a whole copy of the .cblite2 folder; replication may not have fetched these files"
    )
  }
}
