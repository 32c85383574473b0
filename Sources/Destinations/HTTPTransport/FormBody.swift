package import Files
import JSONText

/// A form with a file, as `multipart/form-data`: <https://www.rfc-editor.org/rfc/rfc7578>.
package struct FormBody: Sendable {
  private let boundary: String
  let head: [UInt8]
  let content: Content
  let fileSize: Int64
  let tail: [UInt8]

  /// What the part that is a file holds.
  package enum Content: Sendable {
    case file(FileSource)
    case bytes([UInt8])
  }

  /// The parts `fields`, and behind them the file as `part`; no part has `boundary` in it.
  package init(
    fields: [(name: String, text: String)],
    part: String,
    fileName: String,
    mediaType: String,
    content: Content,
    size: Int64,
    boundary: String
  ) {
    self.boundary = boundary
    self.content = content
    fileSize = size
    var head = ""
    for field in fields {
      head += Self.line(boundary, field.name) + "\r\n\r\n\(field.text)\r\n"
    }
    head += Self.line(boundary, part) + "; filename=\"\(Self.quoted(fileName))\"\r\n"
    head += "Content-Type: \(mediaType)\r\n\r\n"
    self.head = Array(head.utf8)
    tail = Array("\r\n--\(boundary)--\r\n".utf8)
  }

  /// How a part begins.
  private static func line(_ boundary: String, _ name: String) -> String {
    "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(quoted(name))\""
  }

  /// How a browser writes a name: <https://html.spec.whatwg.org/#multipart-form-data>.
  private static func quoted(_ name: String) -> String {
    name.replacing(scalar: "\r", with: "%0D").replacing(scalar: "\n", with: "%0A")
      .replacing(scalar: "\"", with: "%22")
  }

  package var mediaType: String { "multipart/form-data; boundary=\(boundary)" }

  package var size: Int64 { Int64(head.count) + fileSize + Int64(tail.count) }
}
