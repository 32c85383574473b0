/// What `\p{…}` may name in ECMA-262, and how the engines spell it.
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

  /// The version of Unicode that PCRE2 10.42 has the tables of, and the oldest one in use.
  ///
  /// https://github.com/PCRE2Project/pcre2/blob/pcre2-10.42/ChangeLog
  static let settledVersion = 14

  /// The inside of an ICU class for a property that ECMA-262 knows; `nil` for one that ICU is not asked for.
  ///
  /// PCRE2 and ICU come with the tables of different versions of Unicode. A property is not asked for
  /// where a later version than ``settledVersion`` changed it for a character that this version had
  /// already. The class has no surrogates.
  static func icuClassText(_ expression: String, isInverted: Bool) -> String? {
    guard changesWithVersions(expression) else {
      return classText(expression, isInverted: isInverted)
    }
    let parts = expression.split(separator: "=").map(String.init)
    let name: String
    switch (parts.count, parts[0]) {
    case (1, "Assigned"): return icuClass("Cn", isInverted: !isInverted)
    case (1, let property) where binaryProperties.contains(property):
      guard !changedProperties.contains(property) else { return nil }
      name = property
    case (2, "Script"), (2, "sc"): name = "sc=\(parts[1])"
    case (2, "Script_Extensions"), (2, "scx"): return nil
    case (_, let first):
      guard let category = categories[parts.count == 2 ? parts[1] : first],
        !changedCategories.contains(category)
      else { return nil }
      name = category == "L&" ? "LC" : category
    }
    return icuClass(name, isInverted: isInverted)
  }

  private static func icuClass(_ name: String, isInverted: Bool) -> String {
    isInverted
      ? "[^\\p{\(name)}\(CodePointSet.surrogatesText)]"
      : "[\\p{\(name)}--[\(CodePointSet.surrogatesText)]]"
  }

  /// Whether a later version of Unicode may have other characters in a property.
  static func changesWithVersions(_ expression: String) -> Bool {
    !["Any", "ASCII"].contains(expression)
  }

  private static let changedCategories: Set<String> = ["Mc", "Mn"]

  private static let changedProperties: Set<String> = [
    "Alphabetic", "Alpha", "Bidi_Mirrored", "Bidi_M", "Case_Ignorable", "CI", "Cased",
    "Changes_When_Casemapped", "CWCM", "Changes_When_Titlecased", "CWT",
    "Changes_When_Uppercased", "CWU", "Diacritic", "Dia", "Extender", "Ext", "Grapheme_Base",
    "Gr_Base", "Grapheme_Extend", "Gr_Ext", "ID_Continue", "IDC", "Lowercase", "Lower",
    "Sentence_Terminal", "STerm", "Terminal_Punctuation", "Term", "XID_Continue", "XIDC",
  ]

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
