import Files
import LegacyFiles
import ResultText

/// What the texts of an import were read as when their senders were looked for, so that no text is read
/// twice.
///
/// The readings lie in memory as long as they are few, and in a private file else. Where that must not or
/// cannot be written, the rest is read again.
final class KeptReadings {
  private var folder: PrivateFolder?
  private var output: OutputFile?
  private var input: InputFile?
  /// What is not in the file yet; later, what was read from it.
  private var bytes = ReadingBytes()
  /// One reading on its way to the others.
  private var record = ReadingBytes()
  private let mayWrite: Bool
  private var isFull = false
  private var isTaking = false
  /// The next one; `nil` before the first was asked for, and behind the last.
  private var next: (file: Int, entry: Int, digest: Int, reading: TextReading)?

  /// So many bytes are kept in memory.
  private static let most = 1 << 18
  /// The count before a reading has no more bytes.
  private static let longestCount = 10

  /// - Parameter mayWrite: Whether values of records may be on the disk in plain text.
  init(mayWrite: Bool) { self.mayWrite = mayWrite }

  /// Keeps the reading of an entry: the number of its file, and its own among those of the file.
  ///
  /// The reading of a text with a date may be another one when its date counts, and is not kept.
  func keep(_ reading: TextReading, of entry: LegacyEntry, _ file: Int, _ number: Int) {
    guard !isFull, entry.date == nil, entry.reading == nil else { return }
    record.forget()
    record.add(file)
    record.add(number)
    record.add(Self.digest(of: entry.text))
    record.add(reading)
    bytes.add(record)
    if bytes.bytes.count >= Self.most { spill() }
  }

  /// The reading that was kept of an entry; entries come in the order in which they were kept.
  func reading(of entry: LegacyEntry, _ file: Int, _ number: Int) -> TextReading? {
    if !isTaking {
      isTaking = true
      begin()
      take()
    }
    while let kept = next, (kept.file, kept.entry) < (file, number) { take() }
    guard let kept = next, kept.file == file, kept.entry == number else { return nil }
    take()
    guard entry.date == nil, kept.digest == Self.digest(of: entry.text) else { return nil }
    return kept.reading
  }

  /// Tells a text from another that a file holds in its place once it was changed.
  private static func digest(of text: [UInt8]) -> Int {
    var hasher = Hasher()
    // All at once: an array combines its bytes one by one.
    unsafe text.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  private func spill() {
    guard mayWrite else {
      isFull = true
      return
    }
    do throws(FileError) {
      if folder == nil {
        let folder = try PrivateFolder()
        output = try OutputFile(creating: "\(folder.path)/readings", isDigested: false)
        self.folder = folder
      }
      try output?.write(bytes.bytes)
      bytes.forget()
    } catch {
      isFull = true
    }
  }

  /// Makes ready to take what was kept.
  private func begin() {
    guard let folder else { return }
    if !isFull { spill() }
    do throws(FileError) {
      if let output = output.take() { _ = try output.finishUnsynced() }
      input = try InputFile("\(folder.path)/readings")
      // What the file could not hold is read again.
      if isFull { bytes.forget() }
    } catch {
      bytes.forget()
    }
  }

  /// Takes the next reading from the bytes.
  private func take() {
    next = nil
    refill(to: Self.longestCount)
    guard bytes.rest > 0 else { return }
    refill(to: bytes.takeNumber())
    let (file, entry) = (bytes.takeNumber(), bytes.takeNumber())
    let kept = (file, entry, bytes.takeNumber(), bytes.takeReading())
    if !bytes.isDamaged { next = kept }
  }

  /// Reads from the file until so many bytes are there, or it ends.
  private func refill(to count: Int) {
    while bytes.rest < count, input != nil {
      do throws(FileError) {
        let more = try input?.bytes(upTo: Self.most) ?? []
        bytes.add(bytes: more)
        if more.isEmpty { input = nil }
      } catch {
        input = nil
      }
    }
  }
}
