import JSONText
import Testing

/// Aliases that lead nowhere.
struct AliasesUnboundTests {
  @Test func `a text full of possible alias names is read in linear time`() {
    let names = (0..<40_000).map { "unbound\($0)" }.joined(separator: " ")
    var unbound = ""
    let time = ContinuousClock().measure { unbound = "# * \(names)".withAliasesUnbound }
    #expect(unbound.hasPrefix("# *unbound40000 unbound0 "))
    #expect(time < .seconds(10))
  }

  @Test func `the text after a star does not match an existing name`() {
    let text = "*2 unbound0 &unbound12 unbounbound2"
    #expect(text.withAliasesUnbound == "*unbound32 unbound0 &unbound12 unbounbound2")
  }
}
