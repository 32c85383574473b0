import Crypto

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is read in pieces, opened without following a link at its end.
package struct InputFile: ~Copyable {
  package let path: String
  /// The open file, or -1 where its content is read through ``content``.
  private let descriptor: Int32
  /// What the file holds, where that is not what lies on the disk.
  private let content: (any FileContent)?
  /// How much of the content was read in order.
  private var place: Int64 = 0

  /// Opens a regular file.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - followsLinks: Whether a symbolic link as the last part of the path is followed.
  /// - Throws: ``FileError`` when it cannot be opened, or is no regular file.
  package init(_ path: String, followsLinks: Bool = true) throws(FileError) {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
    let descriptor = openFile(path, flags)
    guard descriptor >= 0 else { throw FileError(.open, path, number: errno) }
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else {
      let number = errno
      _ = close(descriptor)
      throw FileError(.inspect, path, number: number)
    }
    guard information.st_mode & S_IFMT == S_IFREG else {
      _ = close(descriptor)
      throw FileError(.open, path, number: EINVAL)
    }
    self.path = path
    self.descriptor = descriptor
    content = nil
  }

  private init(descriptor: Int32, name: String) {
    path = name
    self.descriptor = descriptor
    content = nil
  }

  /// Reads what a file holds, as if that lay on the disk.
  ///
  /// - Parameters:
  ///   - content: The content.
  ///   - path: The path of the file that holds it, for messages.
  package init(reading content: any FileContent, path: String) {
    self.path = path
    self.content = content
    descriptor = -1
  }

  /// Standard input, which may be a pipe: it can be read in order, and has no size.
  package static func standardInput() throws(FileError) -> InputFile {
    let name = "standard input"
    let descriptor = dup(STDIN_FILENO)
    guard descriptor >= 0 else { throw FileError(.open, name, number: errno) }
    return InputFile(descriptor: descriptor, name: name)
  }

  deinit {
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// The file's size in bytes, now.
  package func size() throws(FileError) -> Int64 {
    if let content { return content.size }
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else {
      throw FileError(.inspect, path, number: errno)
    }
    return Int64(information.st_size)
  }

  /// What differs once anyone has written into the file, but for two writes within the same few milliseconds.
  package struct Version: Hashable, Sendable {
    fileprivate let size: Int64
    /// When the content last changed.
    fileprivate let seconds: Int64
    fileprivate let nanoseconds: Int64
  }

  /// The version that the file has now.
  package func version() throws(FileError) -> Version {
    if let content { return Version(size: content.size, seconds: 0, nanoseconds: 0) }
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else {
      throw FileError(.inspect, path, number: errno)
    }
    let time = information.modificationTime
    return Version(
      size: Int64(information.st_size),
      seconds: Int64(time.tv_sec),
      nanoseconds: Int64(time.tv_nsec)
    )
  }

  /// Fills `buffer` from the file's current place; fewer bytes come back only at its end.
  package mutating func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileError) -> Int {
    if let content {
      let count = unsafe try content.read(at: place, into: buffer)
      place += Int64(count)
      return count
    }
    var filled = 0
    while filled < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let (count, number) = retryingInterrupts {
        #if canImport(Darwin)
        unsafe Darwin.read(descriptor, rest.baseAddress, rest.count)
        #elseif canImport(Musl)
        unsafe Musl.read(descriptor, rest.baseAddress, rest.count)
        #else
        unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
        #endif
      }
      guard count >= 0 else { throw FileError(.read, path, number: number) }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Fills the whole of `buffer` from the file's current place, or fails: the file has become shorter.
  package mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(FileError) {
    guard unsafe try read(into: buffer) == buffer.count else {
      throw FileError(.read, path, number: EIO)
    }
  }

  /// Goes on, or back, by so many bytes from where the file is; `false`, and nothing done, in a pipe.
  mutating func move(by count: Int) -> Bool {
    guard content == nil else {
      place += Int64(count)
      return true
    }
    return lseek(descriptor, off_t(count), SEEK_CUR) >= 0
  }

  /// The next bytes, at most `count`; fewer come only at the file's end.
  package mutating func bytes(upTo count: Int) throws(FileError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { unsafe buffer.deallocate() }
    let read = unsafe try read(into: buffer)
    return unsafe [UInt8](UnsafeRawBufferPointer(rebasing: buffer[..<read]))
  }

  /// Reads exactly `count` bytes that begin at `offset`, or fails with what is missing.
  package func bytes(at offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    var failure: FileError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      if let content {
        do throws(FileError) {
          let target = UnsafeMutableRawBufferPointer(buffer)
          unsafe filled = try content.read(at: offset, into: target)
          if filled < count { failure = FileError(.read, path, number: EIO) }
        } catch {
          failure = error
        }
        return
      }
      while filled < count {
        let start = unsafe buffer.baseAddress?.advanced(by: filled)
        let done = filled
        let (read, number) = retryingInterrupts {
          unsafe pread(descriptor, start, count - done, off_t(offset + Int64(done)))
        }
        guard read > 0 else {
          failure = FileError(.read, path, number: read == 0 ? EIO : number)
          return
        }
        filled += read
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// The whole file, refused when it is larger than `limit` bytes.
  package static func contents(
    of path: String,
    limit: Int = 64 << 20
  ) throws(FileError) -> [UInt8] {
    try InputFile(path).contents(limit: limit)
  }

  /// All that is in it, refused when it is larger than `limit` bytes.
  package func contents(limit: Int) throws(FileError) -> [UInt8] {
    let size = try size(limit: limit)
    return size == 0 ? [] : try bytes(at: 0, count: size)
  }

  /// The size of what is in it, refused when it is larger than `limit` bytes.
  package func size(limit: Int) throws(FileError) -> Int {
    let size = try size()
    guard size <= Int64(limit) else { throw FileError(.read, path, number: EFBIG) }
    return Int(size)
  }

  /// The SHA-256 digest of the whole file, as 32 bytes, and its size.
  package static func sha256(
    of path: String,
    followsLinks: Bool = true
  ) throws(FileError) -> (digest: [UInt8], size: Int64) {
    try InputFile(path, followsLinks: followsLinks).sha256()
  }

  /// The SHA-256 digest of all that follows, as 32 bytes, and its size.
  package consuming func sha256() throws(FileError) -> (digest: [UInt8], size: Int64) {
    var file = self
    var hash = SHA256()
    var size: Int64 = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { unsafe buffer.deallocate() }
    while true {
      let count = unsafe try file.read(into: buffer)
      if count == 0 { break }
      unsafe hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      size += Int64(count)
    }
    return (Array(hash.finalize()), size)
  }

  /// Whether two files hold the same bytes.
  package static func areEqual(
    _ path: String,
    _ other: String,
    followsLinks: Bool = true
  ) throws(FileError) -> Bool {
    var first = try InputFile(path, followsLinks: followsLinks)
    var second = try InputFile(other, followsLinks: followsLinks)
    guard try first.size() == second.size() else { return false }
    let half = 1 << 18
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * half, alignment: 16)
    defer { unsafe buffer.deallocate() }
    let left = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<half])
    let right = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[half...])
    while true {
      let count = unsafe try first.read(into: left)
      guard unsafe try second.read(into: right) == count else { return false }
      if count == 0 { return true }
      guard let start = left.baseAddress, let other = right.baseAddress,
        unsafe memcmp(start, other, count) == 0
      else { return false }
    }
  }

  /// Whether anything (a file, a folder, a link) has this path.
  package static func isPresent(_ path: String) -> Bool {
    var information = stat()
    return unsafe lstat(path, &information) == 0
  }

  /// Whether anything has this path, where that can be known.
  ///
  /// - Throws: ``FileError`` where it cannot: a folder that leads there may not be entered, or the disk
  ///   does not answer.
  package static func isKnownPresent(_ path: String) throws(FileError) -> Bool {
    if isPresent(path) { return true }
    let number = errno
    guard !absence.contains(number) else { return false }
    throw FileError(.inspect, path, number: number)
  }
}
