package import Records

/// What a record said when it and the destination last agreed: the base of a later merge.
///
/// That of a change which is planned is what it will have said once that is carried out.
package struct RecordImage: Hashable, Sendable {
  package let record: RecordID
  /// The digests of the record's line and of its fields, by which the image is asked to be its.
  package let content: Digest
  package let requestDigest: Digest
  /// The fields, as canonical JSON, with references as the package has them.
  package let base: [UInt8]
  /// The fields in which the destination was given something else, as canonical JSON; `nil` for
  /// none.
  package let sent: [UInt8]?

  package init(
    record: RecordID,
    content: Digest,
    requestDigest: Digest,
    base: [UInt8],
    sent: [UInt8]?
  ) {
    self.record = record
    self.content = content
    self.requestDigest = requestDigest
    self.base = base
    self.sent = sent
  }
}
