import CZlib

/// Raw deflate (RFC 1951): no header, no checksum.
enum RawDeflate {
  /// Why bytes could not be inflated.
  enum Failure: Error {
    case damaged, endsEarly, tooLarge
  }

  /// Inflates a stream that has to reach its own end within `limit` bytes.
  static func inflated(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var stream = unsafe z_stream()
    guard unsafe ferry_inflateInit2(&stream, -15) == Z_OK else { throw .damaged }
    defer { _ = unsafe inflateEnd(&stream) }
    var output: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var input = bytes
    var failure: Failure?
    unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe stream.next_in = input.baseAddress
      unsafe stream.avail_in = UInt32(truncatingIfNeeded: input.count)
      var code = Z_OK
      while code != Z_STREAM_END, failure == nil {
        let written = unsafe block.withUnsafeMutableBufferPointer { block in
          unsafe stream.next_out = block.baseAddress
          unsafe stream.avail_out = UInt32(block.count)
          code = unsafe inflate(&stream, Z_NO_FLUSH)
          return unsafe block.count - Int(stream.avail_out)
        }
        output += block[..<written]
        if output.count > limit {
          failure = .tooLarge
        } else if code == Z_BUF_ERROR || (code == Z_OK && written == 0) {
          failure = .endsEarly
        } else if code != Z_OK, code != Z_STREAM_END {
          failure = .damaged
        }
      }
    }
    if let failure { throw failure }
    return output
  }
}
