import HTTPTypes
import NIOCore

/// A body of the media type `multipart/form-data`: <https://www.rfc-editor.org/rfc/rfc7578>.
struct MultipartForm {
  let parts: [Part]

  /// One field of a form.
  struct Part {
    let name: String
    let fileName: String?
    let bytes: [UInt8]
  }

  /// Reads the form of a call; `nil` where its body is none.
  init?(_ call: Call) {
    guard let type = call.headers[.contentType], type.lowercased().hasPrefix("multipart/form-data"),
      let boundary = Self.parameter("boundary", of: type), !boundary.isEmpty
    else { return nil }
    let body = Array(call.body.readableBytesView)
    let mark = Array("--\(boundary)".utf8)
    let places = Self.places(of: mark, in: body)
    guard places.count > 1, let last = places.last,
      body[(last + mark.count)...].starts(with: Array("--".utf8))
    else { return nil }
    var parts: [Part] = []
    for (start, end) in zip(places, places.dropFirst()) {
      guard let part = Self.part(body[(start + mark.count)..<end]) else { return nil }
      parts.append(part)
    }
    self.parts = parts
  }

  /// The first part of a name.
  func part(_ name: String) -> Part? { parts.first { $0.name == name } }

  /// The text of the first part of a name.
  func text(_ name: String) -> String? {
    part(name).flatMap { String(validating: $0.bytes, as: UTF8.self) }
  }

  /// The places where a line begins with the mark.
  private static func places(of mark: [UInt8], in body: [UInt8]) -> [Int] {
    var places: [Int] = []
    var place = 0
    while place + mark.count <= body.count {
      if body[place] == mark[0], body[place..<place + mark.count].elementsEqual(mark),
        place == 0 || body[place - 1] == UInt8(ascii: "\n")
      {
        places.append(place)
        place += mark.count
      } else {
        place += 1
      }
    }
    return places
  }

  /// A part between two marks: headers, an empty line, and the bytes up to the line's end.
  private static func part(_ bytes: ArraySlice<UInt8>) -> Part? {
    let end = Array("\r\n".utf8)
    guard bytes.starts(with: end), bytes.suffix(2).elementsEqual(end) else { return nil }
    var rest = bytes.dropFirst(2).dropLast(2)
    var name: String?
    var fileName: String?
    while let line = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let text = String(decoding: rest[..<line].dropLast(), as: UTF8.self)
      rest = rest[(line + 1)...]
      if text.isEmpty { return name.map { Part(name: $0, fileName: fileName, bytes: Array(rest)) } }
      guard text.lowercased().hasPrefix("content-disposition:") else { continue }
      name = parameter("name", of: text)
      fileName = parameter("filename", of: text)
    }
    return nil
  }

  /// A parameter of a header's value, with or without quotes.
  private static func parameter(_ name: String, of value: String) -> String? {
    for part in value.split(separator: ";").dropFirst() {
      let halves = part.split(separator: "=", maxSplits: 1)
      guard halves.count == 2, halves[0].filter({ $0 != " " }).lowercased() == name else {
        continue
      }
      return halves[1].filter { $0 != "\"" }.trimmingSpaces
    }
    return nil
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
