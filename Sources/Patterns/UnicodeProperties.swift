/// What `\p{…}` may name in ECMA-262, and how PCRE2 spells it.
///
/// https://tc39.es/ecma262/#sec-runtime-semantics-unicodematchproperty-p
enum UnicodeProperties {
  /// The inside of a PCRE2 class for the property, or `nil` when ECMA-262 knows no such name.
  static func classText(_ expression: String, isInverted: Bool) -> String? {
    let parts = expression.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    let letter = isInverted ? "P" : "p"
    switch (parts.count, parts[0]) {
    case (1, "Any"): return isInverted ? "" : CodePointSet.everything.classText
    case (1, "ASCII"):
      return (isInverted ? CodePointSet.ascii.inverted : CodePointSet.ascii).classText
    case (1, "Assigned"): return "\\\(isInverted ? "p" : "P"){Cn}"
    case (1, let name) where binaryProperties.contains(name): return "\\\(letter){\(name)}"
    case (1, let name): return categories[name].map { "\\\(letter){\($0)}" }
    case (2, "General_Category"), (2, "gc"):
      return categories[parts[1]].map { "\\\(letter){\($0)}" }
    case (2, "Script"), (2, "sc"): return script(parts[1], letter, "sc")
    case (2, "Script_Extensions"), (2, "scx"): return script(parts[1], letter, "scx")
    default: return nil
    }
  }

  /// PCRE2 itself knows the names of scripts, long and short, and refuses others.
  private static func script(_ name: String, _ letter: String, _ property: String) -> String? {
    let isName =
      !name.isEmpty
      && name.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_")
          || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
      }
    return isName ? "\\\(letter){\(property):\(name)}" : nil
  }

  private static let categories: [String: String] = {
    let names: [(short: String, long: [String])] = [
      ("L&", ["LC", "Cased_Letter"]), ("Cn", ["Unassigned"]), ("Cc", ["Control", "cntrl"]),
      ("Cf", ["Format"]), ("Co", ["Private_Use"]), ("Cs", ["Surrogate"]), ("C", ["Other"]),
      ("Ll", ["Lowercase_Letter"]), ("Lm", ["Modifier_Letter"]), ("Lo", ["Other_Letter"]),
      ("Lt", ["Titlecase_Letter"]), ("Lu", ["Uppercase_Letter"]), ("L", ["Letter"]),
      ("Mc", ["Spacing_Mark"]), ("Me", ["Enclosing_Mark"]), ("Mn", ["Nonspacing_Mark"]),
      ("M", ["Mark", "Combining_Mark"]), ("Nd", ["Decimal_Number", "digit"]),
      ("Nl", ["Letter_Number"]), ("No", ["Other_Number"]), ("N", ["Number"]),
      ("Pc", ["Connector_Punctuation"]), ("Pd", ["Dash_Punctuation"]),
      ("Pe", ["Close_Punctuation"]), ("Pf", ["Final_Punctuation"]),
      ("Pi", ["Initial_Punctuation"]), ("Po", ["Other_Punctuation"]),
      ("Ps", ["Open_Punctuation"]), ("P", ["Punctuation", "punct"]),
      ("Sc", ["Currency_Symbol"]), ("Sk", ["Modifier_Symbol"]), ("Sm", ["Math_Symbol"]),
      ("So", ["Other_Symbol"]), ("S", ["Symbol"]), ("Zl", ["Line_Separator"]),
      ("Zp", ["Paragraph_Separator"]), ("Zs", ["Space_Separator"]), ("Z", ["Separator"]),
    ]
    var spellings: [String: String] = [:]
    for (short, long) in names {
      if short != "L&" { spellings[short] = short }
      for name in long { spellings[name] = short }
    }
    return spellings
  }()

  private static let binaryProperties: Set<String> = [
    "ASCII_Hex_Digit", "AHex", "Alphabetic", "Alpha", "Bidi_Control", "Bidi_C", "Bidi_Mirrored",
    "Bidi_M", "Case_Ignorable", "CI", "Cased", "Changes_When_Casefolded", "CWCF",
    "Changes_When_Casemapped", "CWCM", "Changes_When_Lowercased", "CWL",
    "Changes_When_Titlecased", "CWT", "Changes_When_Uppercased", "CWU", "Dash",
    "Default_Ignorable_Code_Point", "DI", "Deprecated", "Dep", "Diacritic", "Dia", "Emoji",
    "Emoji_Component", "EComp", "Emoji_Modifier", "EMod", "Emoji_Modifier_Base", "EBase",
    "Emoji_Presentation", "EPres", "Extended_Pictographic", "ExtPict", "Extender", "Ext",
    "Grapheme_Base", "Gr_Base", "Grapheme_Extend", "Gr_Ext", "Hex_Digit", "Hex",
    "IDS_Binary_Operator", "IDSB", "IDS_Trinary_Operator", "IDST", "ID_Continue", "IDC",
    "ID_Start", "IDS", "Ideographic", "Ideo", "Join_Control", "Join_C",
    "Logical_Order_Exception", "LOE", "Lowercase", "Lower", "Math", "Noncharacter_Code_Point",
    "NChar", "Pattern_Syntax", "Pat_Syn", "Pattern_White_Space", "Pat_WS", "Quotation_Mark",
    "QMark", "Radical", "Regional_Indicator", "RI", "Sentence_Terminal", "STerm", "Soft_Dotted",
    "SD", "Terminal_Punctuation", "Term", "Unified_Ideograph", "UIdeo", "Uppercase", "Upper",
    "Variation_Selector", "VS", "White_Space", "space", "XID_Continue", "XIDC", "XID_Start",
    "XIDS",
  ]
}
