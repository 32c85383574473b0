import Files
import Records
package import StoreFiles

/// The hashes of many values, in memory that does not grow with their number.
///
/// Values are compared by hashes of 64 bits. Each `runLength` of these are sorted; sorted runs lie in a private
/// file.
package struct ValueHashes: ~Copyable {
  /// How many hashes are sorted at once.
  private let runLength: Int
  private var hashes: [Int] = []
  private var folder: PrivateFolder?
  private var file: OutputFile?
  private var runCount = 0

  /// 2 MiB of hashes at once.
  package static let usualRunLength = 1 << 18

  /// So many that are in no run yet are held once all are there.
  private static let mostHeld = 1 << 12

  package init(runLength: Int = Self.usualRunLength) { self.runLength = runLength }

  /// Takes in the hash of the next value; `false` where it is known already that two are the same.
  package mutating func add(_ hash: Int) throws(StoreError) -> Bool {
    hashes.append(hash)
    guard hashes.count == runLength else { return true }
    hashes.sort()
    let areDistinct = zip(hashes, hashes.dropFirst()).allSatisfy { $0 != $1 }
    try writeRun()
    return areDistinct
  }

  /// All of them in order.
  package consuming func sorted() throws(StoreError) -> SortedHashes {
    hashes.sort()
    var lastLength = 0
    if hashes.count > Self.mostHeld {
      lastLength = hashes.count
      try writeRun()
    }
    do throws(FileError) { _ = try file.take()?.finishUnsynced() } catch { throw .file(error) }
    return SortedHashes(
      rest: hashes,
      folder: folder,
      runLengths: Array(repeating: runLength, count: runCount - (lastLength > 0 ? 1 : 0))
        + (lastLength > 0 ? [lastLength] : [])
    )
  }

  private mutating func writeRun() throws(StoreError) {
    let run = hashes
    hashes = []
    do throws(FileError) {
      if folder == nil {
        let made = try PrivateFolder()
        folder = made
        file = try OutputFile(creating: SortedHashes.path(in: made), isDigested: false)
      }
      try run.withUnsafeBufferPointer { hashes throws(FileError) in
        try file?.write(UnsafeRawBufferPointer(hashes))
      }
    } catch {
      throw .file(error)
    }
    runCount += 1
  }
}

/// The hashes of the values of an attribute, which is read together with others.
///
/// It is closed once a value shows that it is not what is looked for.
final class AttributeHashes {
  let name: String
  private var hashes: ValueHashes?

  /// So many attributes are read together, and of so many the hashes are as many as those of one alone.
  private static let mostTogether = 48
  private static let mostAtFullLength = 8

  private init(_ name: String, beside count: Int) {
    self.name = name
    hashes = ValueHashes(
      runLength: ValueHashes.usualRunLength * Self.mostAtFullLength
        / max(count, Self.mostAtFullLength)
    )
  }

  /// Attributes in groups, for each of which rows are read once.
  static func groups(_ names: [String]) -> [[AttributeHashes]] {
    stride(from: 0, to: names.count, by: mostTogether).map { start in
      let group = names[start...].prefix(mostTogether)
      return group.map { AttributeHashes($0, beside: group.count) }
    }
  }

  /// Reads the rows of an entity once for attributes, of which `body` closes one with `false`.
  static func read(
    _ attributes: [AttributeHashes],
    of entity: EntityName,
    in store: any Store,
    _ body: (AttributeHashes, Cell) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let reader = try store.rows(
      RowRequest(entity: entity, fields: attributes.map { .attribute(path: [$0.name]) })
    )
    while attributes.contains(where: { $0.hashes != nil }), try reader.next() {
      // The export keeps that row with its reason.
      if reader.row.isTooLarge { continue }
      for (number, attribute) in attributes.enumerated() where attribute.hashes != nil {
        if try !body(attribute, reader.row.cells[number]) { attribute.hashes = nil }
      }
    }
  }

  /// Takes in the hash of the next value; `false` where it is known already that two are the same.
  func add(_ hash: Int) throws(StoreError) -> Bool { try hashes?.add(hash) ?? false }

  /// All of them in order; `nil` once it is closed.
  func sorted() throws(StoreError) -> SortedHashes? { try hashes.take()?.sorted() }
}

/// The hashes of many values in order, to be read again and again.
package struct SortedHashes {
  /// Those that are in no run of the file.
  fileprivate let rest: [Int]
  fileprivate let folder: PrivateFolder?
  /// How many hashes each run of the file has.
  fileprivate let runLengths: [Int]

  fileprivate static func path(in folder: PrivateFolder) -> String { "\(folder.path)/hashes" }

  package var isEmpty: Bool { rest.isEmpty && runLengths.isEmpty }

  /// Whether all values differ.
  package func areDistinct() throws(StoreError) -> Bool {
    do throws(FileError) {
      var reader = try SortedHashReader(self)
      var last: Int?
      while let next = try reader.next() {
        if next == last { return false }
        last = next
      }
      return true
    } catch {
      throw .file(error)
    }
  }

  /// Whether each of the other values is one of these.
  package func contain(_ others: SortedHashes) throws(StoreError) -> Bool {
    do throws(FileError) {
      var reader = try SortedHashReader(self)
      var asked = try SortedHashReader(others)
      var own = try reader.next()
      while let other = try asked.next() {
        while let hash = own, hash < other { own = try reader.next() }
        guard own == other else { return false }
      }
      return true
    } catch {
      throw .file(error)
    }
  }
}

/// Gives hashes from the least on.
private struct SortedHashReader: ~Copyable {
  private var rest: ArraySlice<Int>
  private var runs: [SortedRun]
  private let file: InputFile?

  init(_ hashes: borrowing SortedHashes) throws(FileError) {
    rest = hashes.rest[...]
    var offset = 0
    runs = hashes.runLengths.map { length in
      defer { offset += length }
      return SortedRun(offset: offset, count: length)
    }
    file =
      if let folder = hashes.folder { try InputFile(SortedHashes.path(in: folder)) } else { nil }
  }

  mutating func next() throws(FileError) -> Int? {
    var least = rest.first
    var source: Int?
    switch file {
    case let file?:
      for index in runs.indices {
        guard let next = try runs[index].first(in: file), least.map({ next < $0 }) ?? true else {
          continue
        }
        (least, source) = (next, index)
      }
    case nil: break
    }
    if let source { runs[source].removeFirst() } else { rest = rest.dropFirst() }
    return least
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
