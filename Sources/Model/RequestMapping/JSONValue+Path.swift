import JSONText

extension JSONValue {
  /// The value at the end of a path of members.
  func value(along path: String) -> JSONValue? {
    var value: JSONValue? = self
    for name in path.split(separator: ".") { value = value?[String(name)] }
    return value
  }
}
