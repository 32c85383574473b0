/// What the column `body` of a document holds.
///
/// Releases 3.x keep the Fleece of the current revision there. Releases 2.x keep all revisions that they
/// know, the current one first, and a database that was upgraded has both forms. One revision is
///
/// | bytes | what |
/// |---|---|
/// | 4 | its size with these, the highest byte first; zero behind the last revision |
/// | 2 | the number of the revision that it was made from |
/// | 1 | flags; 80 where it has a value |
/// | 1 | the length of its name |
/// | as many | its name |
/// | varint | its sequence |
/// | the rest | its value as Fleece |
///
/// https://github.com/couchbase/couchbase-lite-core/blob/master/docs/overview/Schema.md
package enum DocumentBody {
  private static let headSize = 8
  private static let hasValue: UInt8 = 0x80

  /// The Fleece of the current revision, or `nil` where that has none.
  ///
  /// A value of Fleece that a document can have never begins with a small number, and the size of a list of
  /// revisions always does.
  ///
  /// - Throws: ``FleeceError`` for revisions that are not whole.
  package static func current(_ body: DocumentBytes) throws(FleeceError) -> DocumentBytes? {
    guard body.count > 0 else { return nil }
    guard body[0] < 0x10 else { return body }
    return try currentRevision(body)
  }

  private static func currentRevision(
    _ body: DocumentBytes
  ) throws(FleeceError) -> DocumentBytes? {
    guard body.count > headSize else { throw .truncated(offset: 0, cause: "it ends in a revision") }
    let size = (0..<4).reduce(0) { $0 << 8 | Int(body[$1]) }
    let sequence = headSize + Int(body[7])
    guard size > sequence, size <= body.count,
      let varint = Varint(in: body, at: sequence, before: size)
    else { throw .damaged(offset: 0, cause: "the size of a revision is not that of its parts") }
    guard body[6] & hasValue != 0 else { return nil }
    return body.part(varint.end..<size)
  }
}
