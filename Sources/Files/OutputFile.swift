import Crypto

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A new, private file (0600) that is written from front to back and counted as it grows.
///
/// The bytes are on the disk only after ``finish()``. Dropping the value without it closes the
/// file and promises nothing.
@safe
package struct OutputFile: ~Copyable {
  package let path: String
  /// The open file, or -1 once it is closed.
  private var descriptor: Int32
  /// What was not written yet; a line is copied here once and nowhere else.
  private let buffer: UnsafeMutableRawBufferPointer
  private var filled = 0
  /// `nil` for a file that is not digested while it is written.
  private var hash: SHA256?
  /// The bytes written so far, those still in the buffer included.
  package private(set) var size: Int64 = 0

  private static let bufferSize = 1 << 18

  /// Creates the file; one that is there already, or a link, is refused.
  ///
  /// The SHA-256 of what is written is worked out on the way, unless `isDigested` is false.
  package init(creating path: String, isDigested: Bool = true) throws(FileError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = openFile(path, flags, mode: 0o600)
    guard descriptor >= 0 else { throw FileError(.create, path, number: errno) }
    self.path = path
    self.descriptor = descriptor
    hash = isDigested ? SHA256() : nil
    unsafe buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
  }

  /// Opens a device or a pipe to write to, which it stays.
  ///
  /// - Throws: ``FileError`` also for a pipe that no process reads.
  package init(adding path: String) throws(FileError) {
    descriptor = try AppendingFile.stream(path)
    self.path = path
    hash = nil
    unsafe buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
  }

  deinit {
    unsafe buffer.deallocate()
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Adds bytes at the end.
  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    size += Int64(bytes.count)
    if filled + bytes.count > Self.bufferSize { try drain() }
    if bytes.count >= Self.bufferSize { return unsafe try put(bytes) }
    guard let source = bytes.baseAddress, let start = unsafe buffer.baseAddress else { return }
    unsafe (start + filled).copyMemory(from: source, byteCount: bytes.count)
    filled += bytes.count
  }

  /// Adds bytes at the end.
  package mutating func write(_ bytes: [UInt8]) throws(FileError) {
    unsafe try bytes.withUnsafeBufferPointer { (bytes) throws(FileError) in
      unsafe try write(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Adds bytes and the end of their line.
  package mutating func write(line bytes: UnsafeRawBufferPointer) throws(FileError) {
    unsafe try write(bytes)
    if filled == Self.bufferSize { try drain() }
    unsafe buffer[filled] = 0x0A
    filled += 1
    size += 1
  }

  /// Writes what is left, waits until the disk has it, closes, and gives the SHA-256 of it all,
  /// or nothing for a file that is not digested.
  ///
  /// A sync that failed is final: the kernel may have dropped the pages, so the file is useless.
  package consuming func finish() throws(FileError) -> [UInt8] {
    try drain()
    if let number = flushToDisk(descriptor) { throw FileError(.sync, path, number: number) }
    return try end()
  }

  /// The same, but leaves the waiting for the disk to `group`, which closes the file too.
  package consuming func finish(in group: inout FlushGroup) throws(FileError) -> [UInt8] {
    try drain()
    group.add(descriptor, path: path)
    descriptor = -1
    return digest()
  }

  /// Finishes a file that need not outlive a crash: the disk may get it later, or never.
  package consuming func finishUnsynced() throws(FileError) -> [UInt8] {
    try drain()
    return try end()
  }

  private mutating func end() throws(FileError) -> [UInt8] {
    let digest = digest()
    let open = descriptor
    descriptor = -1
    // An interrupted one is closed all the same, and its number may be another file's by now.
    guard close(open) == 0 || errno == EINTR else { throw FileError(.close, path, number: errno) }
    return digest
  }

  private func digest() -> [UInt8] { hash.map { Array($0.finalize()) } ?? [] }

  private mutating func drain() throws(FileError) {
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<filled])
    filled = 0
    unsafe try put(bytes)
  }

  @unsafe
  private mutating func put(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    unsafe hash?.update(bufferPointer: bytes)
    try writeAll(descriptor, bytes, to: path)
  }
}

/// Small files that are there whole or not at all.
package enum WholeFile {
  /// Replaces the file at `path` by `bytes` in one step: written beside it, synced, renamed, and
  /// the folder synced.
  ///
  /// Anyone who reads sees the old content or the new, never a mixture. A device or a pipe is written to
  /// as it is.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
    var file = try WholeFileDraft(for: path)
    try file.write(bytes)
    try file.publish()
  }
}

/// A file that grows under another name beside its own, and appears whole in the end.
///
/// Dropping the value without ``publish()`` removes it. A device or a pipe gets the bytes as they come.
package struct WholeFileDraft: ~Copyable {
  private let path: String
  /// What is written to; `nil` once it is finished.
  private var file: OutputFile?
  /// The draft that still lies beside the place; `nil` for a stream.
  private var draft: String?

  /// Begins a draft; what killed writers left of one is removed.
  package init(for path: String) throws(FileError) {
    self.path = path
    switch try OutputPlace(path) {
    case .stream: file = try OutputFile(adding: path)
    case .file:
      try DraftName.removeLeft(for: path)
      let draft = DraftName.path(for: path)
      file = try OutputFile(creating: draft)
      self.draft = draft
    }
  }

  deinit {
    // Of no use any more; one that cannot be removed now is removed by the next writer.
    if let draft { try? Folder.remove(draft) }
  }

  /// Adds bytes at the end.
  package mutating func write(_ bytes: [UInt8]) throws(FileError) { try file?.write(bytes) }

  /// Puts the file in its place, replacing one that is there.
  package consuming func publish() throws(FileError) {
    guard let file = file.take() else { return }
    guard let draft else {
      _ = try file.finishUnsynced()
      return
    }
    _ = try file.finish()
    guard unsafe rename(draft, path) == 0 else { throw FileError(.rename, path, number: errno) }
    self.draft = nil
    try Folder.sync(Folder.parentPath(of: path))
  }
}

extension WholeFile {
  /// Where a file that something else writes may grow beside its place; what killed writers left there
  /// is removed.
  package static func draftPath(for path: String) throws(FileError) -> String {
    try DraftName.removeLeft(for: path)
    return DraftName.path(for: path)
  }

  /// Removes that draft that comes to nothing, and what SQLite left beside it.
  package static func removeDrafts(for path: String) { try? DraftName.removeLeft(for: path) }

  /// Gives a finished draft its name, replacing what is there, and waits until the disk has it.
  package static func place(_ draft: String, at path: String) throws(FileError) {
    guard unsafe rename(draft, path) == 0 else { throw FileError(.rename, path, number: errno) }
    try Folder.sync(Folder.parentPath(of: path))
  }

  /// Gives a file that no one writes any more a second name in the same volume; `false`, and nothing
  /// made, where the file system cannot or refuses.
  package static func link(_ source: String, as target: String) -> Bool {
    #if canImport(Glibc)
    unsafe Glibc.link(source, target) == 0
    #elseif canImport(Musl)
    unsafe Musl.link(source, target) == 0
    #else
    unsafe Darwin.link(source, target) == 0
    #endif
  }

  /// Copies a file under another name; the copy is private, and on the disk when this returns unless
  /// it need not outlive a crash.
  package static func copy(
    _ source: String,
    to target: String,
    isLasting: Bool = true
  ) throws(FileError) {
    try copy(FileSource(source), to: target, isLasting: isLasting)
  }

  /// The same of what a file holds.
  package static func copy(
    _ source: FileSource,
    to target: String,
    isLasting: Bool = true
  ) throws(FileError) {
    var input = try source.open()
    var output = try OutputFile(creating: target, isDigested: false)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { unsafe buffer.deallocate() }
    while true {
      let count = unsafe try input.read(into: buffer)
      if count == 0 { break }
      unsafe try output.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    _ = isLasting ? try output.finish() : try output.finishUnsynced()
  }
}
