/// The way to a value inside an answer: `data.pagination.hasMore`; empty for the answer itself.
///
/// A point that is part of a name has a backslash before it: `@odata\.nextLink`.
package struct MemberPath: Hashable, Sendable, CustomStringConvertible {
  package let names: [String]

  package init(names: [String]) {
    self.names = names
  }

  package init(_ text: String) {
    var names: [String] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
      if let name = names.last, name.hasSuffix("\\") {
        names[names.count - 1] = "\(name.dropLast()).\(part)"
      } else {
        names.append(part)
      }
    }
    self.names = names.filter { !$0.isEmpty }
  }

  package var description: String {
    names.map { $0.replacing(scalar: ".", with: "\\.") }.joined(separator: ".")
  }
}
