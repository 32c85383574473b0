import Files
package import NIOHTTP1

/// An answer's body that came packed although it was asked for as it is: some servers and the text
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
      case "gzip", "x-gzip": body = try inflated(body, .gzip, limit: limit)
      case "deflate":
        // Many send it without the header and the checksum that belong to it.
        do throws(Failure) {
          body = try inflated(body, .zlib, limit: limit)
        } catch {
          guard error == .damaged else { throw error }
          body = try inflated(body, .none, limit: limit)
        }
      default: throw .otherCoding(String(coding.prefix(40)))
      }
    }
    return body
  }

  private static func inflated(
    _ bytes: [UInt8],
    _ wrapping: Inflation.Wrapping,
    limit: Int
  ) throws(Failure) -> [UInt8] {
    do throws(Inflation.Failure) {
      return try Inflation.inflated(bytes, wrapping, limit: limit)
    } catch {
      throw error == .tooLarge ? .tooLarge : .damaged
    }
  }
}
