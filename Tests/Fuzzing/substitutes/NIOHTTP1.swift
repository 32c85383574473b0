/// Replaces the library of that name: the fields of a request or an answer, in their order.
package struct HTTPHeaders: Sendable, Sequence, ExpressibleByDictionaryLiteral {
  private var fields: [(name: String, value: String)] = []

  package init() {}

  package init(_ fields: [(String, String)]) {
    self.fields = fields.map { (name: $0.0, value: $0.1) }
  }

  package init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }

  package func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
    fields.makeIterator()
  }

  package mutating func add(name: String, value: String) { fields.append((name, value)) }

  package mutating func add(contentsOf other: [(String, String)]) {
    for field in other { add(name: field.0, value: field.1) }
  }

  package mutating func replaceOrAdd(name: String, value: String) {
    remove(name: name)
    add(name: name, value: value)
  }

  package mutating func remove(name: String) {
    fields.removeAll { $0.name.lowercased() == name.lowercased() }
  }

  package func first(name: String) -> String? { self[name].first }

  package func contains(name: String) -> Bool { first(name: name) != nil }

  package subscript(name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// The parts of a field that lists them with commas.
  package subscript(canonicalForm name: String) -> [Substring] {
    self[name].flatMap { $0.split(separator: ",") }.map { part in
      part.drop { $0.isWhitespace }
    }
  }
}
