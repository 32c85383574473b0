/// Why a description of a game could not be used.
package enum GameDescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file is not JSON.
  case notJSON(file: String, cause: String)
  /// A member is missing, or holds something else than it should.
  case badMember(file: String, pointer: String, cause: String)
  /// A pattern is not well formed at that character.
  case badPattern(String, at: Int, cause: String)
  /// Two descriptions have the same id.
  case sameID(String)

  package var description: String {
    switch self {
    case .notJSON(let file, let cause):
      "the description \(file) is not JSON: \(cause); correct the file"
    case .badMember(let file, let pointer, let cause):
      "the description \(file) is wrong at \(pointer): \(cause);"
        + " the schema ferry.game.v1 says what may appear there"
    case .badPattern(let pattern, let place, let cause):
      "the pattern \"\(pattern)\" is wrong at character \(place): \(cause);"
        + " put a backslash before brackets that mean themselves"
    case .sameID(let id):
      "two descriptions have the id \(id); give one of them another"
    }
  }
}
