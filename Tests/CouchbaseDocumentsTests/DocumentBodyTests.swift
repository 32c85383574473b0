import CouchbaseDocuments
import TestSupport
import Testing

/// The body of a document: the Fleece of release 3, and the revisions of release 2.
///
/// https://github.com/couchbase/couchbase-lite-core/blob/master/docs/overview/Schema.md
struct DocumentBodyTests {
  private static let fleece: [UInt8] = [0x41, 0x61, 0x70, 0x01, 0x41, 0x61, 0x00, 0x01, 0x80, 0x03]

  private static func current(_ body: [UInt8]) throws -> [UInt8]? {
    try DocumentBody.current(DocumentBytes(body)).map { $0.bytes(0..<$0.count) }
  }

  @Test func `a body of release 3 is Fleece as it is`() throws {
    #expect(try Self.current(Self.fleece) == Self.fleece)
    #expect(try Self.current([0x70, 0x00]) == [0x70, 0x00])
  }

  @Test func `a body of release 2 begins with the current revision`() throws {
    // Size 14, no parent, flags 82, a name of 3 bytes, the sequence 1, an empty dictionary.
    let revision: [UInt8] = [0, 0, 0, 14, 0xFF, 0xFF, 0x82, 3, 1, 0xAB, 0xCD, 1, 0x70, 0]
    #expect(try Self.current(revision + [0, 0, 0, 0]) == [0x70, 0])
  }

  @Test func `older revisions are not looked at`() throws {
    let body = FleeceWriter.revisions([Self.fleece, [0xFF, 0xFF, 0xFF], nil])
    #expect(try Self.current(body) == Self.fleece)
  }

  @Test func `a sequence of several bytes is passed over`() throws {
    let head: [UInt8] = [0, 0, 0, 16, 0xFF, 0xFF, 0x82, 3, 1, 0xAB, 0xCD]
    let body = head + [0xAC, 0xD2, 0x07, 0x70, 0] + [0, 0, 0, 0]
    #expect(try Self.current(body) == [0x70, 0])
  }

  @Test func `a revision without a value and no bytes at all are nothing`() throws {
    #expect(try Self.current(FleeceWriter.revisions([nil, Self.fleece])) == nil)
    #expect(try Self.current([]) == nil)
  }

  @Test(
    arguments: [
      [0], [0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 9, 0xFF, 0xFF, 0x82, 3, 1],
      [0, 0, 1, 0, 0xFF, 0xFF, 0x82, 1, 1, 1, 0x70, 0],  // longer than the body
      [0, 0, 0, 11, 0xFF, 0xFF, 0x82, 200, 1, 0xAB, 0xCD, 1, 0x70, 0],  // a name longer than that
      [0, 0, 0, 12, 0xFF, 0xFF, 0x82, 1, 1, 0xFF, 0xFF, 0xFF],  // a sequence that does not end
      [0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x82, 1, 1, 1, 0x70, 0],
    ] as [[UInt8]]
  )
  func `revisions that are not whole are refused`(body: [UInt8]) {
    #expect(throws: FleeceError.self) { try Self.current(body) }
  }
}
