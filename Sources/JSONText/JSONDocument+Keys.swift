extension JSONDocument {
  /// A record's key, or `nil` when the line is not JSON or has none.
  package func key(_ member: String, in line: UnsafeRawBufferPointer) -> String? {
    do throws(JSONError) {
      try unsafe parse(line)
    } catch {
      return nil
    }
    guard kind(of: root) == .object, let node = self.member(of: root, named: member) else {
      return nil
    }
    return text(ofScalar: node)
  }

  /// A string's text, or the digits of a number: what a key or a reference is compared by.
  package func text(ofScalar node: JSONNode) -> String {
    switch kind(of: node) {
    case .string: text(of: node)
    case .number: int64(of: node).map(String.init) ?? value(of: node).canonicalText
    default: value(of: node).canonicalText
    }
  }
}
