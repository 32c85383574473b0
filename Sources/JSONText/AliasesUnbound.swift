extension String {
  /// YAML in which every alias leads nowhere, and nothing else is spelled as another kind of token.
  ///
  /// Composing it tells an alias by its line, and expands none: a few aliases of aliases stand for
  /// more values than any memory holds.
  ///
  /// https://yaml.org/spec/1.2.2/#71-alias-nodes
  package var withAliasesUnbound: String {
    guard utf8.contains(UInt8(ascii: "*")) else { return self }
    var number = 0
    while contains("unbound\(number)") { number += 1 }
    return replacing(scalar: "*", with: "*unbound\(number)")
  }
}
