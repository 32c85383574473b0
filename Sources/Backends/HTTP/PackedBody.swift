import CZlib
package import NIOHTTP1

/// An answer's body that came packed although it was asked for as it is: some servers and what stands
/// before them pack whatever they send.
///
/// <https://www.rfc-editor.org/rfc/rfc9110#section-8.4>
package enum PackedBody {
  /// Why a body could not be unpacked.
  package enum Failure: Error, Hashable {
    case damaged
    case tooLarge
    /// Packed in a way that is not known here.
    case otherCoding(String)
  }

  /// Unpacks a body that is of at most so many bytes.
  ///
  /// - Returns: The body itself.
  /// - Throws: ``Failure``
  package static func unpacked(
    _ body: [UInt8],
    _ headers: HTTPHeaders,
    limit: Int
  ) throws(Failure) -> [UInt8] {
    var body = body
    // The last one that is named was applied last.
    for coding in headers[canonicalForm: "Content-Encoding"].reversed() where !body.isEmpty {
      switch coding.lowercased() {
      case "", "identity": break
      case "gzip", "x-gzip": body = try inflated(body, windowBits: 15 + 16, limit: limit)
      case "deflate":
        // Many send it without the header and the checksum that belong to it.
        do throws(Failure) {
          body = try inflated(body, windowBits: 15, limit: limit)
        } catch {
          guard error == .damaged else { throw error }
          body = try inflated(body, windowBits: -15, limit: limit)
        }
      default: throw .otherCoding(String(coding.prefix(40)))
      }
    }
    return body
  }

  /// Inflates a stream that has to reach its own end, and what is appended to it in the same way.
  private static func inflated(
    _ bytes: [UInt8],
    windowBits: Int32,
    limit: Int
  ) throws(Failure) -> [UInt8] {
    var stream = unsafe z_stream()
    guard unsafe ferry_inflateInit2(&stream, windowBits) == Z_OK else { throw .damaged }
    defer { _ = unsafe inflateEnd(&stream) }
    var output: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var input = bytes
    var failure: Failure?
    unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe stream.next_in = input.baseAddress
      unsafe stream.avail_in = UInt32(input.count)
      var isAtEnd = false
      while !isAtEnd, failure == nil {
        var code = Z_OK
        let written = unsafe block.withUnsafeMutableBufferPointer { block in
          unsafe stream.next_out = block.baseAddress
          unsafe stream.avail_out = UInt32(block.count)
          code = unsafe inflate(&stream, Z_NO_FLUSH)
          return unsafe block.count - Int(stream.avail_out)
        }
        output += block[..<written]
        let isOver = code == Z_STREAM_END
        let isUsedUp = unsafe stream.avail_in == 0
        if output.count > limit {
          failure = .tooLarge
        } else if isOver, windowBits > 15, !isUsedUp {
          // A file of gzip may have several members.
          if unsafe inflateReset(&stream) != Z_OK { failure = .damaged }
        } else if isOver {
          isAtEnd = true
        } else if code != Z_OK || written == 0 && isUsedUp {
          failure = .damaged
        }
      }
    }
    if let failure { throw failure }
    return output
  }
}
