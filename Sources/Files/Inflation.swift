import CZlib

/// Inflates what was packed by deflate (RFC 1951).
package enum Inflation {
  /// What is around the packed bytes.
  package enum Wrapping: Sendable {
    /// Nothing: neither a header nor a checksum.
    case none
    /// A header and a checksum of zlib (RFC 1950).
    case zlib
    /// One or more members of gzip (RFC 1952).
    case gzip

    /// How zlib is reported so, <https://zlib.net/manual.html#Advanced>.
    fileprivate var windowBits: Int32 {
      switch self {
      case .none: -15
      case .zlib: 15
      case .gzip: 15 + 16
      }
    }
  }

  /// Why bytes could not be inflated.
  package enum Failure: Error {
    case damaged, endsEarly, tooLarge
  }

  /// Inflates a stream that has to reach its own end within `limit` bytes.
  ///
  /// - Throws: ``Failure``
  package static func inflated(
    _ bytes: [UInt8],
    _ wrapping: Wrapping,
    limit: Int
  ) throws(Failure) -> [UInt8] {
    var stream = unsafe z_stream()
    guard unsafe ferry_inflateInit2(&stream, wrapping.windowBits) == Z_OK else { throw .damaged }
    defer { _ = unsafe inflateEnd(&stream) }
    var output: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var input = bytes
    var failure: Failure?
    unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe stream.next_in = input.baseAddress
      unsafe stream.avail_in = UInt32(truncatingIfNeeded: input.count)
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
        let isUsedUp = unsafe stream.avail_in == 0
        if output.count > limit {
          failure = .tooLarge
        } else if code == Z_STREAM_END, wrapping == .gzip, !isUsedUp {
          if unsafe inflateReset(&stream) != Z_OK { failure = .damaged }
        } else if code == Z_STREAM_END {
          isAtEnd = true
        } else if code == Z_BUF_ERROR || (code == Z_OK && written == 0) {
          failure = .endsEarly
        } else if code != Z_OK {
          failure = .damaged
        }
      }
    }
    if let failure { throw failure }
    return output
  }
}
