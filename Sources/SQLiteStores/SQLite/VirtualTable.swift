/// A virtual table, as its declaration names its module and the module's arguments.
///
/// https://sqlite.org/lang_createvtab.html
struct VirtualTable {
  let name: String
  /// The module's name in lower case: `fts5`.
  let module: String
  /// What is between the parentheses, each argument as its tokens.
  private let arguments: [[DeclarationToken]]

  /// Reads a declaration; `nil` for one that declares no virtual table.
  init?(_ name: String, declaredBy sql: String) {
    var tokens = DeclarationToken.all(of: sql)[...]
    for word in ["create", "virtual", "table"] {
      guard let token = tokens.popFirst(), token.isWord(word) else { return nil }
    }
    tokens = tokens.drop { !$0.isWord("using") }.dropFirst()
    guard let module = tokens.popFirst() else { return nil }
    self.name = name
    self.module = module.text.lowercased()
    arguments = Self.arguments(in: tokens)
  }

  /// The names of the ordinary tables that the module makes for itself.
  ///
  /// A module that is not known has none here: what it makes is read like any other table.
  ///
  /// https://sqlite.org/vtab.html#xshadowname
  var shadowNames: [String] {
    let ends: [String] =
      switch module {
      case "fts3", "fts4": ["content", "segments", "segdir", "docsize", "stat"]
      case "fts5": ["content", "data", "idx", "docsize", "config"]
      case "rtree", "rtree_i32", "geopoly": ["node", "parent", "rowid"]
      default: []
      }
    return ends.filter { $0 != "content" || keepsContent }.map { "\(name)_\($0)" }
  }

  /// The ordinary table that has a row for each row of the virtual one; `nil` where the rows are in
  /// a table of the app, or nowhere.
  var contentName: String? {
    switch module {
    case "fts3", "fts4", "fts5": keepsContent ? "\(name)_content" : nil
    case "rtree", "rtree_i32", "geopoly": "\(name)_rowid"
    default: nil
    }
  }

  /// Whether a module that searches text has a table of its own for the content.
  ///
  /// With `content='name'` the content is in a table of the app, and with `content=''` it is
  /// nowhere, but for what `contentless_unindexed` keeps. FTS5 takes names that are cut short.
  ///
  /// https://sqlite.org/fts5.html#external_content_and_contentless_tables
  private var keepsContent: Bool {
    guard module == "fts4" || module == "fts5" else { return true }
    let content = option { module == "fts5" ? "content".hasPrefix($0) : $0 == "content" }
    guard let content else { return true }
    guard content.isEmpty, let kept = option({ $0.hasPrefix("contentless_u") }) else {
      return false
    }
    return kept != "0"
  }

  /// The value of the option whose name, in lower case, is the one; `nil` where it is not given.
  private func option(_ isTheOne: (String) -> Bool) -> String? {
    for argument in arguments where argument.count > 1 && argument[1].isMark("=") {
      guard argument[0].kind == .word, isTheOne(argument[0].text.lowercased()) else { continue }
      return argument.dropFirst(2).map(\.text).joined()
    }
    return nil
  }

  /// The tokens between the outer parentheses, parted at the commas that are in no others.
  private static func arguments(
    in tokens: ArraySlice<DeclarationToken>
  ) -> [[DeclarationToken]] {
    guard let first = tokens.first, first.isMark("(") else { return [] }
    var arguments: [[DeclarationToken]] = [[]]
    var depth = 1
    for token in tokens.dropFirst() {
      if token.isMark("(") { depth += 1 }
      if token.isMark(")") { depth -= 1 }
      if depth == 0 { break }
      if depth == 1, token.isMark(",") {
        arguments.append([])
      } else {
        arguments[arguments.count - 1].append(token)
      }
    }
    return arguments
  }
}

/// One token of a declaration; comments and space between tokens are not.
private struct DeclarationToken {
  enum Kind {
    case word
    /// A name or a text in quotes or brackets, which the token's text lacks.
    case quoted
    case mark
  }

  let kind: Kind
  let text: String

  func isWord(_ word: String) -> Bool { kind == .word && text.lowercased() == word }

  func isMark(_ mark: String) -> Bool { kind == .mark && text == mark }

  static func all(of sql: String) -> [DeclarationToken] {
    let bytes = Array(sql.utf8)
    var tokens: [DeclarationToken] = []
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      let next = place + 1 < bytes.count ? bytes[place + 1] : 0
      if spaces.contains(byte) {
        place += 1
      } else if byte == UInt8(ascii: "-"), next == byte {
        place = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      } else if byte == UInt8(ascii: "/"), next == UInt8(ascii: "*") {
        place = endOfComment(in: bytes, from: place + 2)
      } else if marks.contains(byte) {
        tokens.append(
          DeclarationToken(kind: .mark, text: String(decoding: [byte], as: UTF8.self))
        )
        place += 1
      } else if quotes.contains(byte) {
        tokens.append(quoted(in: bytes, from: &place))
      } else {
        let end =
          bytes[(place + 1)...].firstIndex { endsOfWords.contains($0) } ?? bytes.count
        tokens.append(
          DeclarationToken(kind: .word, text: String(decoding: bytes[place..<end], as: UTF8.self))
        )
        place = end
      }
    }
    return tokens
  }

  private static let spaces = Set(" \t\n\u{0C}\r".utf8)
  private static let marks = Set("(),=".utf8)
  private static let quotes = Set("'\"`[".utf8)
  private static let endsOfWords = spaces.union(marks).union(quotes).union("-/".utf8)

  private static func endOfComment(in bytes: [UInt8], from start: Int) -> Int {
    var place = start
    while place + 1 < bytes.count {
      if bytes[place] == UInt8(ascii: "*"), bytes[place + 1] == UInt8(ascii: "/") {
        return place + 2
      }
      place += 1
    }
    return bytes.count
  }

  /// The content of quotes, of which two are one within it, or up to the bracket that closes.
  private static func quoted(in bytes: [UInt8], from place: inout Int) -> DeclarationToken {
    let isBracket = bytes[place] == UInt8(ascii: "[")
    let end = isBracket ? UInt8(ascii: "]") : bytes[place]
    var text: [UInt8] = []
    place += 1
    while place < bytes.count {
      if bytes[place] == end {
        let isDoubled = !isBracket && place + 1 < bytes.count && bytes[place + 1] == end
        guard isDoubled else { break }
        place += 1
      }
      text.append(bytes[place])
      place += 1
    }
    place += 1
    return DeclarationToken(kind: .quoted, text: String(decoding: text, as: UTF8.self))
  }
}
