package import JSONText

/// The JSON of an answer: read once to know that it is whole, and looked into by whom it is for.
package struct AnswerBody: Sendable {
  private let bytes: [UInt8]

  /// Gives `nil` when the bytes are not JSON; a byte order mark before it is passed over.
  package init?(_ bytes: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
    guard !bytes.isEmpty, Self.view(of: bytes) != nil else { return nil }
    self.bytes = bytes
  }

  /// The answer, for picking out of much the little that matters.
  package var view: JSONView {
    guard let view = Self.view(of: bytes) else {
      preconditionFailure("the same bytes were JSON before")
    }
    return view
  }

  /// The whole answer.
  package var value: JSONValue { view.value }

  private static func view(of bytes: [UInt8]) -> JSONView? {
    do throws(JSONError) { return try JSONView(parsing: bytes) } catch { return nil }
  }
}

extension JSONView {
  /// The value that a path of members leads to, or `nil`; the empty path leads to the value itself.
  ///
  /// In an array a name is the place of an element, counted from zero.
  package func value(at path: MemberPath) -> JSONView? {
    var view: JSONView? = self
    for name in path.names {
      if let place = Int(name), let elements = view?.elements {
        view = elements.indices.contains(place) ? elements[place] : nil
      } else {
        view = view?[name]
      }
    }
    return view
  }

  /// Whether a path leads to an element of an array that has none: the row of a filter that nothing passed.
  package func hasNone(at path: MemberPath) -> Bool {
    guard let place = path.names.last, Int(place) != nil else { return false }
    let array = MemberPath(names: path.names.dropLast())
    return value(at: array)?.elements?.isEmpty == true
  }

  /// A text or a number as text; `nil` for anything else and for empty text.
  ///
  /// Identities and versions are of either kind.
  package var shortText: String? {
    if let text { return text.isEmpty ? nil : text }
    return literal
  }
}

extension JSONValue {
  /// The value that a path of members leads to, or `nil`; the empty path leads to the value itself.
  ///
  /// In an array a name is the place of an element, counted from zero.
  package func value(at path: MemberPath) -> JSONValue? {
    var value: JSONValue? = self
    for name in path.names {
      if let place = Int(name), value?.array != nil {
        value = value?[place]
      } else {
        value = value?[name]
      }
    }
    return value
  }
}
