/// The way to a value inside an answer: `data.pagination.hasMore`; empty for the answer itself.
package struct MemberPath: Hashable, Sendable, CustomStringConvertible {
  package let names: [String]

  package init(names: [String]) {
    self.names = names
  }

  package init(_ text: String) {
    names = text.split(separator: ".").map(String.init)
  }

  package var description: String { names.joined(separator: ".") }
}
