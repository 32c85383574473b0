import Crypto
import CryptoExtras
import Files

/// The pages of an encrypted Realm file, decrypted one by one.
///
/// The key has 64 bytes: 32 for AES-256 and 32 for HMAC-SHA-224. Each group of 64 data pages follows a
/// page of 64 entries:
///
/// | at | size | what |
/// |---|---|---|
/// | 0 | 4 | the number that the page's initialisation vector is made from; 0: never written |
/// | 4 | 28 | the HMAC of the encrypted page |
/// | 32 | 32 | the same two of the write before, which hold where a write was cut off |
///
/// The vector is that number, the page's offset in the plain file as 64 bits, and four zero bytes.
final class EncryptedPages: PageSource {
  let size: Int
  private let file: InputFile
  private let key: SymmetricKey
  private let authenticator: SHA224Authenticator
  /// The entries of the group that was read last, and its number.
  private var entries: (group: Int, bytes: [UInt8]) = (-1, [])

  /// The bytes of a key.
  static let keyLength = 64

  private static let pageSize = PageCache.pageSize
  private static let pagesInGroup = 64
  private static let entrySize = 64

  /// Prepares to decrypt a file of `fileSize` bytes.
  init(_ file: consuming InputFile, fileSize: Int, key: [UInt8]) throws(RealmError) {
    guard key.count == Self.keyLength else { throw .keyLength(key.count) }
    guard fileSize % Self.pageSize == 0, fileSize >= 2 * Self.pageSize else {
      throw .truncated(RealmPlace(), cause: "\(fileSize) bytes are not a whole number of pages")
    }
    self.file = file
    self.key = SymmetricKey(data: key[..<32])
    authenticator = SHA224Authenticator(key: key[32...])
    size = Self.dataPageCount(fileSize: fileSize) * Self.pageSize
  }

  /// How many of a file's pages hold data, and not entries.
  static func dataPageCount(fileSize: Int) -> Int {
    let total = fileSize / pageSize
    return total - (total + pagesInGroup) / (pagesInGroup + 1)
  }

  func page(_ number: Int) throws(RealmError) -> [UInt8] {
    let (group, place) = number.quotientAndRemainder(dividingBy: Self.pagesInGroup)
    let entry = try entry(place, ofGroup: group)
    let zeros = Array(repeating: UInt8(0), count: Self.pageSize)
    if Bytes.unsigned(entry, 0, 4) == 0 { return zeros }
    let start = (number + group + 1) * Self.pageSize
    let page = try reading(file, at: start, count: Self.pageSize)
    let code = authenticator.code(for: page)
    if entry[4..<32].elementsEqual(code) {
      return try decrypt(page, number, Bytes.unsigned(entry, 0, 4))
    }
    let older = Bytes.unsigned(entry, 32, 4)
    if older != 0, entry[36..<64].elementsEqual(code) { return try decrypt(page, number, older) }
    if number == 0 {
      throw .wrongKey(cause: "the authentication code of the first page does not match")
    }
    // The file was made longer, and the page not written yet.
    if page == zeros { return zeros }
    throw .damaged(
      RealmPlace(offset: number * Self.pageSize),
      cause: "the authentication code of the page does not match"
    )
  }

  private func entry(_ place: Int, ofGroup group: Int) throws(RealmError) -> [UInt8] {
    if entries.group != group {
      let start = group * (Self.pagesInGroup + 1) * Self.pageSize
      entries = (group, try reading(file, at: start, count: Self.pageSize))
    }
    return Array(entries.bytes[place * Self.entrySize..<(place + 1) * Self.entrySize])
  }

  private func decrypt(
    _ page: [UInt8],
    _ number: Int,
    _ vectorNumber: UInt64
  ) throws(RealmError) -> [UInt8] {
    var vector = Bytes.littleEndian(vectorNumber, count: 4)
    vector += Bytes.littleEndian(UInt64(number * Self.pageSize), count: 8)
    vector += [0, 0, 0, 0]
    do {
      let plain = try AES._CBC.decrypt(
        page,
        using: key,
        iv: AES._CBC.IV(ivBytes: vector),
        noPadding: true
      )
      return Array(plain)
    } catch {
      throw .damaged(
        RealmPlace(offset: number * Self.pageSize),
        cause: "the page cannot be decrypted: \(error)"
      )
    }
  }
}
