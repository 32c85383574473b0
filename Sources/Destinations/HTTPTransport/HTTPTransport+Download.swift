import AsyncHTTPClient
package import Files
import NIOCore
import NIOHTTP1

/// An answer whose body went into a file.
package struct HTTPDownload: Sendable {
  /// The answer without its body.
  package let head: HTTPAnswer
  package let body: Body

  /// What became of the body.
  package enum Body: Hashable, Sendable {
    /// The file has all of it, and the disk has the file; its size in bytes.
    case kept(size: Int64)
    /// It was not wanted, and not read.
    case left
    /// It is larger than was allowed.
    case tooLarge
    case unwritable(FileError)
  }
}

extension HTTPTransport {
  /// Sends one request and writes the body of its answer into a new file, piece by piece.
  ///
  /// What lies at `path` is replaced. Of a body that is not kept whole a part may be in the file. At
  /// most `limit` bytes are taken, and none where the answer's head is not wanted.
  package func download(
    _ request: HTTPRequest,
    to path: String,
    atMost limit: Int64,
    where isWanted: @escaping @Sendable (HTTPAnswer) -> Bool
  ) async throws(HTTPFailure) -> HTTPDownload {
    try await exchange(request, in: try await turn()) { response in
      let head = HTTPAnswer(response, body: [])
      guard isWanted(head) else { return HTTPDownload(head: head, body: .left) }
      let announced = head.headers.first(name: "Content-Length").flatMap { Int64($0) }
      guard announced ?? 0 <= limit else { return HTTPDownload(head: head, body: .tooLarge) }
      do {
        let body = try await Self.keep(response.body, at: path, atMost: limit)
        return HTTPDownload(head: head, body: body)
      } catch let error as FileError {
        return HTTPDownload(head: head, body: .unwritable(error))
      }
    }
  }

  private static func keep(
    _ body: HTTPClientResponse.Body,
    at path: String,
    atMost limit: Int64
  ) async throws -> HTTPDownload.Body {
    try Folder.remove(path)
    var file = try OutputFile(creating: path, isDigested: false)
    for try await piece in body {
      guard file.size + Int64(piece.readableBytes) <= limit else { return .tooLarge }
      try file.write(Array(piece.readableBytesView))
    }
    let size = file.size
    _ = try file.finish()
    return .kept(size: size)
  }
}
