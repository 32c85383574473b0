import AgeEncryption
import Crypto
import Files

/// A new file of a package, written from front to back, in the open or encrypted.
struct PackageOutput: ~Copyable {
  private var file: OutputFile
  private var sealer: AgeSealer?
  /// The digest of the plain bytes of an encrypted file; that of another is the file's own affair.
  private var hash = SHA256()
  /// How many plain bytes were written.
  private(set) var size: Int64 = 0

  /// - Parameters:
  ///   - path: The new file.
  ///   - recipients: Whom it is encrypted to; `nil` for a file in the open.
  /// - Throws: ``FileError`` when it cannot be made, or is there already.
  init(creating path: String, for recipients: [AgeRecipient]?) throws(FileError) {
    var file = try OutputFile(creating: path, isDigested: recipients == nil)
    sealer = recipients.map { AgeSealer(recipients: $0) }
    if let sealer { try file.write(sealer.head) }
    self.file = file
  }

  /// Adds bytes at the end.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    size += Int64(bytes.count)
    guard var sealer = sealer.take() else { return try file.write(bytes) }
    defer { self.sealer = sealer }
    hash.update(bufferPointer: bytes)
    try sealer.seal(bytes) { piece throws(FileError) in try file.write(piece) }
  }

  /// Adds bytes at the end.
  mutating func write(_ bytes: [UInt8]) throws(FileError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(FileError) in
      try write(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Adds bytes and the end of their line.
  mutating func write(line bytes: UnsafeRawBufferPointer) throws(FileError) {
    guard sealer != nil else {
      size += Int64(bytes.count) + 1
      return try file.write(line: bytes)
    }
    try write(bytes)
    try write([0x0A])
  }

  /// Writes what is left, and gives the SHA-256 of the plain bytes; `group` waits until the disk has it.
  consuming func finish(in group: inout FlushGroup) throws(FileError) -> [UInt8] {
    guard sealer != nil else { return try file.finish(in: &group) }
    if let last = sealer?.finish() { try file.write(last) }
    _ = try file.finish(in: &group)
    return Array(hash.finalize())
  }
}
