// MARK: - Reading

extension JSONValue {
  /// Reads one value and the white space around it.
  ///
  /// - Throws: ``JSONError`` for anything that is not strict JSON, and for a limit passed.
  package init(
    parsing bytes: some Collection<UInt8>,
    limits: JSONLimits = .standard
  ) throws(JSONError) {
    let document = JSONDocument(limits: limits)
    let parsed = bytes.withContiguousStorageIfAvailable { buffer in
      unsafe Self.parse(UnsafeRawBufferPointer(buffer), document)
    }
    guard let parsed else {
      self = try unsafe Array(bytes).withUnsafeBytes { unsafe Self.parse($0, document) }.get()
      return
    }
    self = try parsed.get()
  }

  /// Reads one value and the white space around it.
  package init(parsing text: String, limits: JSONLimits = .standard) throws(JSONError) {
    try self.init(parsing: text.utf8, limits: limits)
  }

  private static func parse(
    _ bytes: UnsafeRawBufferPointer,
    _ document: JSONDocument
  ) -> Result<JSONValue, JSONError> {
    Result { () throws(JSONError) in
      unsafe try document.parse(bytes)
      return document.value(of: document.root)
    }
  }
}

// MARK: - Writing

extension JSONValue {
  /// The value in its one canonical spelling.
  ///
  /// Members by the bytes of their names, shortest escapes, no white space; numbers keep their
  /// digits.
  package var canonicalBytes: [UInt8] {
    var writer = JSONWriter()
    writer.value(self)
    return writer.finished()
  }

  /// ``canonicalBytes`` as text.
  package var canonicalText: String {
    String(decoding: canonicalBytes, as: UTF8.self)
  }

  /// The value for people: two spaces a level, members by the bytes of their names.
  package var prettyText: String {
    var text = ""
    writePretty(indentation: "", to: &text)
    return text
  }

  private func writePretty(indentation: String, to text: inout String) {
    let inner = indentation + "  "
    switch self {
    case .array(let elements) where !elements.isEmpty:
      text += "[\n"
      for (index, element) in elements.enumerated() {
        text += inner
        element.writePretty(indentation: inner, to: &text)
        text += index + 1 < elements.count ? ",\n" : "\n"
      }
      text += indentation + "]"
    case .object(let object) where !object.isEmpty:
      text += "{\n"
      for (index, member) in object.sortedMembers.enumerated() {
        text += inner + JSONValue.string(member.name).canonicalText + ": "
        member.value.writePretty(indentation: inner, to: &text)
        text += index + 1 < object.count ? ",\n" : "\n"
      }
      text += indentation + "}"
    case .null, .boolean, .number, .string, .array, .object:
      text += canonicalText
    }
  }
}

extension JSONWriter {
  /// Writes `value`, its members by the bytes of their names.
  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .boolean(let value): boolean(value)
    case .number(let value): number(value)
    case .string(let value): string(value)
    case .array(let elements):
      beginArray()
      for element in elements {
        self.value(element)
      }
      endArray()
    case .object(let object):
      beginObject()
      for member in object.sortedMembers {
        name(member.name)
        self.value(member.value)
      }
      endObject()
    }
  }
}
