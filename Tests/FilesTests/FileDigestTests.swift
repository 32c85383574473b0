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

  @Test(arguments: FileDigests.Way.known)
  func `published texts have their published digests`(way: FileDigests.Way) throws {
    var paths: [String] = []
    // Each in every lane, and more than one group.
    for round in 0..<8 {
      for (index, (text, _)) in Self.published.enumerated() {
        paths.append(try file("\(round)-\(index)", Array(text.utf8)))
      }
    }
    let accounts = try FileDigests.sha256(of: paths, way: way)
    #expect(accounts.count == paths.count)
    for (number, account) in accounts.enumerated() {
      let (text, digest) = Self.published[number % Self.published.count]
      #expect(account.digest.map { String(format: "%02x", $0) }.joined() == digest)
      #expect(account.size == Int64(text.utf8.count))
    }
  }

  @Test(arguments: FileDigests.Way.known)
  func `files of every length around the ends of blocks and pieces have the library's digests`(
    way: FileDigests.Way
  ) throws {
    var sizes = Array(0...260)
    for piece in [1 << 15, 1 << 16] { sizes += (piece - 65)...(piece + 65) }
    sizes += (0..<20).map { _ in Int.random(in: 0..<400_000) }
    sizes.shuffle()
    let bytes = (0..<400_000).map { _ in UInt8.random(in: .min ... .max) }
    var paths: [String] = []
    for (index, size) in sizes.enumerated() {
      paths.append(try file("\(index)", Array(bytes[..<size])))
    }
    let together = try FileDigests.sha256(of: paths, way: way)
    for (index, path) in paths.enumerated() {
      let alone = try InputFile.sha256(of: path)
      #expect(together[index].digest == alone.digest, "\(sizes[index]) bytes")
      #expect(together[index].size == Int64(sizes[index]))
    }
  }

  @Test(arguments: FileDigests.Way.known, 0...9)
  func `any number of files is digested`(way: FileDigests.Way, count: Int) throws {
    let paths = try (0..<count).map { try file("\($0)", Array(repeating: 7, count: $0 * 1000)) }
    let accounts = try FileDigests.sha256(of: paths, way: way)
    let alone = try paths.map { try InputFile.sha256(of: $0).digest }
    #expect(accounts.map { $0.digest } == alone)
  }

  @Test(arguments: FileDigests.Way.known)
  func `a file that is not there is named among those digested together`(
    way: FileDigests.Way
  ) throws {
    let here = try file("here", [1])
    let path = place.path + "/none"
    let error = #expect(throws: FileError.self) {
      try FileDigests.sha256(of: [here, here, path, here], way: way)
    }
    #expect(error?.description.contains(path) == true)
  }

  @Test func `one file after the other is a way everywhere, and the best is one of the ways`() {
    #expect(FileDigests.Way.known.first == .alone)
    #expect(FileDigests.Way.known.contains(.best))
  }

  @Test func `a file that is not digested while it is written holds the same`() throws {
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
