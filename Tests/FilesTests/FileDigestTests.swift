import Files
import Foundation
import Testing

@Suite struct FileDigestTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = "\(place.path)/\(name)"
    var file = try OutputFile(creating: path, isDigested: false)
    try file.write(bytes)
    _ = try file.finishUnsynced()
    return path
  }

  /// The examples of NIST for SHA-256, with the empty message and the million letters.
  ///
  /// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
  private static let published = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
        + "lmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]

  @Test(arguments: published)
  func `published texts have their published digests`(text: String, digest: String) throws {
    let account = try InputFile.sha256(of: try file("text", Array(text.utf8)))
    #expect(account.digest.map { String(format: "%02x", $0) }.joined() == digest)
    #expect(account.size == Int64(text.utf8.count))
  }

  @Test func `a missing file is named`() throws {
    let path = place.path + "/none"
    let error = #expect(throws: FileError.self) { try InputFile.sha256(of: path) }
    #expect(error?.description.contains(path) == true)
  }

  @Test func `a file written without a digest has the same content`() throws {
    let long = [UInt8](repeating: 7, count: 300_000)
    var file = try OutputFile(creating: place.path + "/long", isDigested: false)
    try file.write([1, 2])
    try file.write(long)
    try file.write([3])
    #expect(file.size == 300_003)
    #expect(try file.finish().isEmpty)
    #expect(try InputFile.contents(of: place.path + "/long") == [1, 2] + long + [3])
  }
}
