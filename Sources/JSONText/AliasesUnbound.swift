extension String {
  /// YAML in which every alias leads nowhere, and nothing else is spelled as another kind of token.
  ///
  /// Composing it shows an alias by its line, and expands none: a few aliases of aliases represent
  /// more values than any memory holds.
  ///
  /// https://yaml.org/spec/1.2.2/#71-alias-nodes
  package var withAliasesUnbound: String {
    guard utf8.contains(UInt8(ascii: "*")) else { return self }
    return replacing(scalar: "*", with: "*unbound\(unusedNumber(behind: "unbound"))")
  }

  /// The smallest number that nothing behind `word` begins with.
  ///
  /// Nine digits are enough: no text has space for all numbers of so many.
  private func unusedNumber(behind word: String) -> Int {
    let bytes = Array(utf8)
    let word = Array(word.utf8)
    var used: Set<Int> = []
    for place in bytes.indices where bytes[place...].starts(with: word) {
      var number = 0
      for byte in bytes[(place + word.count)...].prefix(9) {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
        used.insert(number)
      }
    }
    return (0...).first { !used.contains($0) } ?? 0
  }
}
