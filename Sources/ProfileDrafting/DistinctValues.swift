import Files
package import StoreFiles

/// Says of many values whether all of them differ, in memory that does not grow with their number.
///
/// Values are compared by hashes of 64 bits. Each `runLength` of these are sorted; sorted runs lie in a private
/// file, and are merged at the end.
package struct DistinctValues: ~Copyable {
  /// How many hashes are sorted at once.
  private let runLength: Int
  private var hashes: [Int] = []
  private var folder: PrivateFolder?
  private var file: OutputFile?
  private var runCount = 0

  /// 2 MiB of hashes at once.
  package static let usualRunLength = 1 << 18

  package init(runLength: Int = Self.usualRunLength) { self.runLength = runLength }

  /// Takes in the hash of the next value; `false` where it is known already that two are the same.
  package mutating func add(_ hash: Int) throws(StoreError) -> Bool {
    hashes.append(hash)
    guard hashes.count == runLength else { return true }
    guard sortDistinct() else { return false }
    try writeRun()
    return true
  }

  /// Whether all values differ.
  package consuming func areDistinct() throws(StoreError) -> Bool {
    guard sortDistinct() else { return false }
    guard let folder else { return true }
    var runs = (0..<runCount).map { SortedRun(offset: $0 * runLength, count: runLength) }
    let rest = hashes
    do throws(FileError) {
      _ = try file.take()?.finishUnsynced()
      let source = try InputFile(Self.path(in: folder))
      return try Self.areDistinct(&runs, rest, source)
    } catch {
      throw .file(error)
    }
  }

  private mutating func sortDistinct() -> Bool {
    hashes.sort()
    return zip(hashes, hashes.dropFirst()).allSatisfy { $0 != $1 }
  }

  private mutating func writeRun() throws(StoreError) {
    let run = hashes
    hashes = []
    do throws(FileError) {
      if folder == nil {
        let made = try PrivateFolder()
        folder = made
        file = try OutputFile(creating: Self.path(in: made), isDigested: false)
      }
      try run.withUnsafeBufferPointer { hashes throws(FileError) in
        try file?.write(UnsafeRawBufferPointer(hashes))
      }
    } catch {
      throw .file(error)
    }
    runCount += 1
  }

  private static func path(in folder: PrivateFolder) -> String { "\(folder.path)/hashes" }

  /// Merges runs with the sorted hashes that are in no run.
  private static func areDistinct(
    _ runs: inout [SortedRun],
    _ rest: [Int],
    _ file: borrowing InputFile
  ) throws(FileError) -> Bool {
    var place = 0
    while true {
      var least: Int? = place < rest.count ? rest[place] : nil
      var source: Int?
      for index in runs.indices {
        guard let next = try runs[index].first(in: file), least.map({ next <= $0 }) ?? true else {
          continue
        }
        if next == least { return false }
        (least, source) = (next, index)
      }
      guard least != nil else { return true }
      if let source { runs[source].removeFirst() } else { place += 1 }
    }
  }
}

/// Hashes in a file, from the least on, of which a part is held.
private struct SortedRun {
  /// The next hash in the file, and how many follow from there.
  private var offset: Int
  private var count: Int
  private var held: [Int] = []
  private var place = 0

  private static let mostHeld = 1 << 12

  init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }

  mutating func first(in file: borrowing InputFile) throws(FileError) -> Int? {
    if place < held.count { return held[place] }
    guard count > 0 else { return nil }
    let size = MemoryLayout<Int>.size
    let taken = min(count, Self.mostHeld)
    let bytes = try file.bytes(at: Int64(offset * size), count: taken * size)
    held = bytes.withUnsafeBytes { bytes in
      (0..<taken).map { bytes.loadUnaligned(fromByteOffset: $0 * size, as: Int.self) }
    }
    (offset, count, place) = (offset + taken, count - taken, 0)
    return held[0]
  }

  mutating func removeFirst() { place += 1 }
}
