import JSONText
import LongTexts

extension JSONObject {
  /// The same for a person to read: a long text is told by its size and its digest.
  var inWords: JSONObject {
    var words = self
    for member in members { words[member.name] = member.value.inWords }
    return words
  }
}

extension JSONValue {
  fileprivate var inWords: JSONValue {
    switch self {
    case .string(let text):
      LongText(standIn: Array(text.utf8)).map { .string($0.description) } ?? self
    case .array(let elements): .array(elements.map(\.inWords))
    case .object(let object): .object(object.inWords)
    case .null, .boolean, .number: self
    }
  }
}
