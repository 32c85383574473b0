/// Names of keys for a message.
package enum KeyList {
  package static func text(_ keys: [String], shown: Int = 20) -> String {
    let rest = keys.count - shown
    return keys.prefix(shown).map { "“\($0.prefix(80))”" }.joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }
}
