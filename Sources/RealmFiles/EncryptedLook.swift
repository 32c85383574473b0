/// Whether a file that has no mark of Realm looks like an encrypted Realm file.
package enum EncryptedLook {
  /// Judges by the first page, which would be a table of 64 entries (`EncryptedPages`).
  ///
  /// An entry is all zero where there is no such page; else its first number is below 2^28 and at
  /// least its second, its code has hardly a zero byte, and its second code is zero where the second
  /// number is. `start` are the file's first 4,096 bytes.
  package static func matches(start: [UInt8], size: Int64) -> Bool {
    let pageSize = PageCache.pageSize
    guard size >= 2 * Int64(pageSize), size % Int64(pageSize) == 0, start.count >= pageSize else {
      return false
    }
    let pageCount = min(64, EncryptedPages.dataPageCount(fileSize: Int(size)))
    var usedCount = 0
    for number in 0..<64 {
      let entry = start[number * 64..<(number + 1) * 64]
      if entry.allSatisfy({ $0 == 0 }) { continue }
      guard number < pageCount, isUsed(Array(entry)) else { return false }
      usedCount += 1
    }
    return usedCount > 0
  }

  private static func isUsed(_ entry: [UInt8]) -> Bool {
    let (first, second) = (Bytes.unsigned(entry, 0, 4), Bytes.unsigned(entry, 32, 4))
    guard first > 0, first < 1 << 28, second <= first else { return false }
    guard entry[4..<32].count(where: { $0 != 0 }) >= 20 else { return false }
    return second != 0 || entry[36...].allSatisfy { $0 == 0 }
  }
}
