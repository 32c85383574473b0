/// One step through an XML document.
package enum XMLEvent: Hashable, Sendable {
  /// An element begins. Names are as written, prefix included.
  case start(name: String, attributes: [XMLAttribute])
  /// Characters of an element, in UTF-8; comments and instructions do not show.
  ///
  /// A long text comes in several pieces, and a piece may end anywhere between two characters.
  /// ``XMLEventReader/text(limit:)`` collects a whole one.
  case text(ArraySlice<UInt8>)
  /// An element ends; `<a/>` ends too.
  case end(name: String)
}

/// A name and a value in a start tag; declarations of namespaces are among them.
package struct XMLAttribute: Hashable, Sendable {
  package let name: String
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension [XMLAttribute] {
  /// The value of the attribute with this name, or `nil` when the tag has none.
  package subscript(name: String) -> String? {
    first { $0.name == name }?.value
  }
}
