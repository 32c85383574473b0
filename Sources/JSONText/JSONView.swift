/// A value in a parsed document, asked as a ``JSONValue`` is; only what a user asks for is made.
package struct JSONView {
  private let document: JSONDocument
  private let node: JSONNode

  /// Reads one value and the white space around it.
  ///
  /// - Throws: ``JSONError`` for anything that is not strict JSON, and for a limit passed.
  package init(parsing bytes: [UInt8]) throws(JSONError) {
    document = JSONDocument()
    try document.parse(copying: bytes)
    node = document.root
  }

  private init(_ document: JSONDocument, _ node: JSONNode) {
    self.document = document
    self.node = node
  }

  package var kind: JSONKind { document.kind(of: node) }

  /// The text of a string, or `nil`.
  package var text: String? { kind == .string ? document.text(of: node) : nil }

  /// The digits of a number as they were written, or `nil`.
  package var literal: String? {
    guard kind == .number else { return nil }
    return unsafe String(decoding: document.numberLiteral(of: node), as: UTF8.self)
  }

  package var boolean: Bool? { document.boolean(of: node) }

  /// The elements of an array, or `nil`.
  package var elements: [JSONView]? {
    guard kind == .array else { return nil }
    var elements: [JSONView] = []
    elements.reserveCapacity(document.count(of: node))
    document.forEachElement(of: node) { elements.append(JSONView(document, $0)) }
    return elements
  }

  /// The members of an object in the order they came, or `nil`.
  package var members: [(name: String, value: JSONView)]? {
    guard kind == .object else { return nil }
    var members: [(name: String, value: JSONView)] = []
    unsafe document.forEachMember(of: node) { name, value in
      members.append((unsafe String(decoding: name, as: UTF8.self), JSONView(document, value)))
    }
    return members
  }

  /// The member called `name`; `nil` when it is missing, or this is no object.
  package subscript(_ name: String) -> JSONView? {
    document.member(of: node, named: name).map { JSONView(document, $0) }
  }

  /// The value as a value of its own.
  package var value: JSONValue { document.value(of: node) }

  /// The value in its one canonical spelling.
  package var canonicalBytes: [UInt8] { document.canonicalBytes(of: node) }
}
