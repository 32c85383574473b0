import Crypto
package import Files
import Synchronization

/// The plain text of an encrypted file, from any place of it, a piece of 64 KiB at a time.
///
/// No byte is given before its piece is known to be what was sealed, at its place. A file that was
/// cut, or added to, is found out with its last piece.
package final class AgeContent: FileContent {
  private let file: InputFile
  private let key: SymmetricKey
  private let layout: AgeLayout
  /// The piece that was opened last; anyone who reads in order asks for it again and again.
  private let latest = Mutex<(number: Int64, plain: [UInt8])?>(nil)

  package var size: Int64 { layout.plainSize }

  /// Reads the header, and finds out the key.
  ///
  /// - Throws: ``Failure``.
  package init(
    _ file: consuming InputFile,
    identities: [AgeIdentity]
  ) throws(AgeContent.Failure) {
    let size: Int64
    let head: [UInt8]
    do throws(FileError) {
      size = try file.size()
      head = try file.bytes(at: 0, count: Int(min(size, Int64(AgeHeader.largestSize))))
    } catch { throw .file(error) }
    do throws(AgeError) {
      let header = try AgeHeader(parsing: head)
      layout = try AgeLayout(fileSize: size, headerSize: Int64(header.size))
      let nonce = head[header.size...].prefix(AgeLayout.nonceSize)
      guard nonce.count == AgeLayout.nonceSize else {
        throw .malformedHeader(reason: "it is too long")
      }
      key = payloadKey(try header.fileKey(with: identities), Array(nonce))
    } catch { throw .age(error) }
    self.file = file
    // No process reads the piece of an empty file, and any file can be cut to look like one.
    guard layout.plainSize == 0 else { return }
    do throws(FileError) { try checkEnd() } catch { throw .file(error) }
  }

  /// Why an encrypted file could not be opened.
  package enum Failure: Error, Hashable, Sendable {
    case file(FileError)
    case age(AgeError)
  }

  package func read(
    at offset: Int64,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileError) -> Int {
    var filled = 0
    while filled < buffer.count, offset + Int64(filled) < size {
      let place = offset + Int64(filled)
      let number = place / AgeLayout.chunkSize
      let plain = try chunk(number)
      let start = Int(place - number * AgeLayout.chunkSize)
      let count = min(plain.count - start, buffer.count - filled)
      plain.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + count)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)]))
      }
      filled += count
    }
    return filled
  }

  private func chunk(_ number: Int64) throws(FileError) -> [UInt8] {
    if let known = latest.withLock({ $0?.number == number ? $0?.plain : nil }) { return known }
    let place = layout.place(ofChunk: number)
    let sealed = try file.bytes(at: place.offset, count: place.count)
    let nonce = Chunk.nonce(UInt64(number), number == layout.chunkCount - 1)
    guard let plain = Chunk.open(sealed, key, nonce) else {
      throw FileError(tamperedWith: file.path)
    }
    latest.withLock { $0 = (number, plain) }
    return plain
  }

  /// Opens the last piece, by which a file is known to be whole that no process reads to its end.
  package func checkEnd() throws(FileError) { _ = try chunk(layout.chunkCount - 1) }
}

/// Opens encrypted files with the identities of a person.
package struct AgeOpening: FileOpening {
  package let identities: [AgeIdentity]

  package init(identities: [AgeIdentity]) { self.identities = identities }

  package func content(of file: consuming InputFile) throws(FileError) -> any FileContent {
    let path = file.path
    do throws(AgeContent.Failure) {
      return try AgeContent(file, identities: identities)
    } catch {
      switch error {
      case .file(let error): throw error
      case .age: throw FileError(tamperedWith: path)
      }
    }
  }
}
