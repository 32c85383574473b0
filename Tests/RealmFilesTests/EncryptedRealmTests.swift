import Crypto
import CryptoExtras
import RealmFiles
import TestSupport
import Testing

/// Encrypted files, and what their pages are authenticated with.
struct EncryptedRealmTests {
  private static let key = (0..<64).map { UInt8($0 * 3 + 1) }

  /// A plain file with more than a page, so that values cross pages.
  private static func plain() -> [UInt8] {
    var writer = RealmWriter()
    let texts = (0..<200).map { "text number \($0)" }
    let root = writer.cluster(count: 200, [writer.strings(texts)])
    let table = writer.table([.init("text", 2)], root: root)
    return writer.file(tables: [("class_A", table)])
  }

  /// Encrypts a file in whole pages; its last bytes stay the last ones of the last page.
  private static func encrypted(_ plain: [UInt8], key: [UInt8] = key) throws -> [UInt8] {
    let pageSize = 4096
    let filling = (pageSize - plain.count % pageSize) % pageSize
    let padded = plain.dropLast(16) + [UInt8](repeating: 0, count: filling) + plain.suffix(16)
    let pages = stride(from: 0, to: padded.count, by: pageSize).map {
      Array(padded.dropFirst($0).prefix(pageSize))
    }
    var (entries, content): ([UInt8], [UInt8]) = ([], [])
    let authenticator = SHA224Authenticator(key: key[32...])
    for (number, page) in pages.enumerated() {
      let offset = UInt64(number * pageSize)
      let vector = [7, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) }
      let cipher = try AES._CBC.encrypt(
        page,
        using: SymmetricKey(data: key[..<32]),
        iv: AES._CBC.IV(ivBytes: vector + [0, 0, 0, 0]),
        noPadding: true
      )
      content += cipher
      entries += [7, 0, 0, 0] + authenticator.code(for: Array(cipher))
      entries += [UInt8](repeating: 0, count: 32)
    }
    return entries + [UInt8](repeating: 0, count: pageSize - entries.count) + content
  }

  @Test func `an encrypted file is read with its key`() throws {
    let bytes = try Self.encrypted(Self.plain())
    let file = try RealmFile(bytes: bytes, key: Self.key)
    #expect(file.isEncrypted)
    #expect(try file.column().last == .string("text number 199"))
    #expect(try file.column() == RealmFile(bytes: Self.plain()).column())
  }

  @Test func `a plain file needs no key`() throws {
    #expect(try !RealmFile(bytes: Self.plain(), key: Self.key).isEncrypted)
  }

  @Test func `without a key it is recognised, and not opened`() throws {
    let bytes = try Self.encrypted(Self.plain())
    #expect(throws: RealmError.encrypted) { try RealmFile(bytes: bytes) }
    #expect(EncryptedLook.matches(start: Array(bytes[..<4096]), size: Int64(bytes.count)))
  }

  @Test(arguments: [0, 40])
  func `another key in either half does not open it`(place: Int) throws {
    let bytes = try Self.encrypted(Self.plain())
    var other = Self.key
    other[place] ^= 1
    let error = #expect(throws: RealmError.self) { try RealmFile(bytes: bytes, key: other) }
    guard case .wrongKey = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a key of another length is refused`() throws {
    let bytes = try Self.encrypted(Self.plain())
    #expect(throws: RealmError.keyLength(32)) {
      try RealmFile(bytes: bytes, key: Array(Self.key[..<32]))
    }
  }

  @Test func `a page that was changed is refused`() throws {
    var bytes = try Self.encrypted(Self.plain())
    bytes[2 * 4096 + 100] ^= 1
    let error = #expect(throws: RealmError.self) {
      try RealmFile(bytes: bytes, key: Self.key).column()
    }
    #expect(error?.description.contains("authentication code") == true)
  }

  @Test func `the write before holds where one was cut off`() throws {
    var bytes = try Self.encrypted(Self.plain())
    let entry = Array(bytes[64..<96])
    bytes.replaceSubrange(96..<128, with: entry)
    bytes[64] = 8
    bytes[70] ^= 1
    #expect(try RealmFile(bytes: bytes, key: Self.key).column().count == 200)
  }

  @Test func `SHA-224 gives what the standard lists`() {
    var hash = SHA224()
    #expect(
      Self.hexadecimal(hash.finish(Array("abc".utf8)))
        == "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
    )
    var long = SHA224()
    let text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    #expect(
      Self.hexadecimal(long.finish(Array(text.utf8)))
        == "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
    )
  }

  /// The first test case of RFC 4231, https://www.rfc-editor.org/rfc/rfc4231 (section 4.2).
  @Test func `HMAC-SHA-224 gives what RFC 4231 lists`() {
    let authenticator = SHA224Authenticator(key: [UInt8](repeating: 0x0B, count: 20))
    #expect(
      Self.hexadecimal(authenticator.code(for: Array("Hi There".utf8)))
        == "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"
    )
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
