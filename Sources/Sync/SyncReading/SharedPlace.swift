package import Checkpoint
import JSONText
package import Records

// Two records of the store that a destination took for one.

extension SyncReader {
  /// Another record that runs sent to the place of this one; `nil` where there is none, as it should be.
  ///
  /// A server that knows records by what they say answers both creations with one ID, and keeps the later content.
  package func sharer(
    of record: RecordID,
    at serverID: String
  ) throws(CheckpointError) -> RecordID? {
    let keys = try checkpoint.keys(at: serverID, of: record.entity)
    return keys.first { !$0.hasSameScalars(as: record.key) }
      .map { RecordID(entity: record.entity, key: $0) }
  }
}

extension RecordID {
  static let sharedWords = "the destination has one record for this one and "

  /// Why the content at the destination of a record that has its place is not that record's.
  package var sharedWords: String { Self.sharedWords + description }
}

extension Finding {
  /// What is done about records that a destination takes for one.
  package static let separating =
    "have them differ in the app in what the destination knows records by, and roll back the run that sent them"
}
