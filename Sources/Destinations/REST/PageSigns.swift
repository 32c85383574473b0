import HTTPTransport
package import JSONText
package import NIOHTTP1
import TextCodecs

/// What an answer with the rows of a list says of rows that did not come with it.
///
/// Taken for whole, a page of a list would pass for the account, and what is on the others would be made
/// a second time. So the names and values around the rows are read by rule, whatever the server:
///
/// | a name with | says that more follows | says that nothing does |
/// |---|---|---|
/// | `more`, `truncated`, `remaining`, `hasNext` and their like | true, a number above 0 | false, 0 |
/// | `last`, `done`, `complete`, `end` and their like | false | true |
/// | `next`, `continue` and their like | an address, a token, a number above 0 | null, empty, 0 |
/// | `total`, `count`, `found` | a number above that of the rows | that number, for a total |
/// | `pages`, or `page` with `total`, `count` or `last` | a number above 1 | 1 |
/// | `cursor`, `bookmark`, `marker`, `scroll` | a text, where nothing else says the contrary | null, empty |
/// | `limit`, `pageSize`, `perPage` | the number of the rows, where nothing else says the contrary | |
///
/// A name is read word by word: `hasMore`, `has_more`, `X-Has-More` and `hasmore` are the same. Names are
/// beside the rows, on the way to them, in an object or a link beside them, or are those of headers; a
/// `Content-Range`, a `Link` and the status 206 count as well. What a name says of something else, such as
/// a rate limit, a size in bytes or a mark for the next synchronisation, is passed over. So are a
/// `total` that is a sum of money, beside a subtotal or a tax or written as prices are, and the
/// `pages` of a book.
package enum PageSigns {
  /// Looks for what says that more follows.
  ///
  /// - Parameters:
  ///   - answer: The whole answer.
  ///   - items: Where it has its rows.
  ///   - headers: Those of the answer.
  ///   - status: That of the answer.
  ///   - rowCount: How many rows came.
  ///   - hearsHints: Whether what only may mean more counts too, as a bookmark does.
  /// - Returns: The sign in words for a message; `nil` where nothing says so.
  package static func ofMore(
    in answer: JSONView,
    items: MemberPath,
    headers: HTTPHeaders = [:],
    status: Int? = nil,
    rowCount: Int,
    hearsHints: Bool = true
  ) -> String? {
    var reading = PageReading(rowCount: rowCount, items: items.names.last)
    reading.read(headers, status: status)
    var view: JSONView? = answer
    var path: [String] = []
    for name in items.names {
      guard let object = view else { break }
      reading.read(object, at: path, isKnown: true, without: name)
      path.append(name)
      view = object[name]
    }
    return reading.conclusion(hearsHints)
  }
}

/// What was read so far, and what it comes to.
private struct PageReading {
  let rowCount: Int
  /// The words by which the rows themselves are called.
  private let ownWords: Set<String>
  /// What says that more follows whatever else is said: a flag, a link, a total.
  private var plain: String?
  /// A token for what follows, which some servers give after the last row too.
  private var token: String?
  /// What may say it: a bookmark, a page that is full.
  private var hint: String?
  /// Whether a flag says that nothing follows.
  private var isEnded = false
  /// Whether anything says so.
  private var isWhole = false
  /// Whether the object that is read has sums of money.
  private var isOfMoney = false

  init(rowCount: Int, items: String?) {
    self.rowCount = rowCount
    let words = items.map { PageWords.words(of: $0) } ?? []
    ownWords = Set(words + words.map { $0.hasSuffix("s") ? String($0.dropLast()) : $0 })
  }

  func conclusion(_ hearsHints: Bool) -> String? {
    plain ?? (isEnded ? nil : token) ?? (isEnded || isWhole || !hearsHints ? nil : hint)
  }
}

// MARK: - Where names are looked for

extension PageReading {
  /// How deep objects beside the rows are looked into.
  private static let deepest = 3
  /// The longest array that is taken for one of links.
  private static let mostLinks = 50

  mutating func read(_ headers: HTTPHeaders, status: Int?) {
    if WebLink.next(in: headers) != nil { plain = plain ?? "the header “Link” names a next page" }
    let ranges = headers["Content-Range"].compactMap { range(of: $0) }
    if ranges.contains(false) {
      plain = plain ?? "the header “Content-Range” counts more rows than came"
    } else if ranges.contains(true) {
      isWhole = true
    } else if status == 206 {
      plain = plain ?? "its status is 206, which is said of a part"
    }
    for (name, value) in headers where !["link", "content-range"].contains(name.lowercased()) {
      let words = PageWords.words(of: name)
      let text = value.trimmingSpace
      if text.first == "{", let view = JSONView(text: text) {
        read(view, at: ["header \(name)"], isKnown: true)
      } else {
        judge(words, .text(text), "the header “\(name)”", isKnown: true)
      }
    }
  }

  /// Whether `0-24/80` counts as many rows as came; `nil` where it counts something else, and for `*/*`,
  /// which PostgREST says of an answer without rows.
  private func range(of text: String) -> Bool? {
    let parts = text.split(separator: "/")
    guard parts.count == 2, !parts[0].lowercased().hasPrefix("bytes"),
      !parts[0].hasSuffix("*") || parts[1] != "*"
    else { return nil }
    return Int(parts[1]).map { $0 <= rowCount } ?? false
  }

  /// Reads the members of an object.
  ///
  /// `isKnown` shows that it speaks of the list: other objects beside the rows may be about anything, so
  /// that only names count there which have no other meaning.
  mutating func read(
    _ object: JSONView,
    at path: [String],
    isKnown: Bool,
    without rows: String? = nil,
    depth: Int = 0
  ) {
    let outer = isOfMoney
    defer { isOfMoney = outer }
    isOfMoney = object.hasMember { !PageWords.money.isDisjoint(with: $0) }
    for (name, value) in object.members ?? [] where name != rows {
      let place = path + [name]
      let shown = "“\(place.joined(separator: "."))”"
      let words = PageWords.words(of: name)
      guard PageWords.blocked.isDisjoint(with: words) else { continue }
      switch value.kind {
      case .null: judge(words, .nothing, shown, isKnown: isKnown)
      case .boolean: judge(words, .flag(value.boolean == true), shown, isKnown: isKnown)
      case .string, .number: judge(words, .text(value.scalar ?? ""), shown, isKnown: isKnown)
      case .array: readLinks(value, words, shown, isKnown: isKnown)
      case .object:
        let isJudged = judge(words, .object(value), shown, isKnown: isKnown)
        guard !isJudged, depth < Self.deepest else { continue }
        let isKnown = !PageWords.containers.isDisjoint(with: words) || value.isAboutPages
        read(value, at: place, isKnown: isKnown, depth: depth + 1)
      }
    }
  }

  /// Reads an array of links, each with what it is to the answer.
  private mutating func readLinks(
    _ array: JSONView,
    _ words: [String],
    _ shown: String,
    isKnown: Bool
  ) {
    guard let links = array.elements, links.count <= Self.mostLinks else { return }
    if links.contains(where: WebLink.isNext) { plain = plain ?? "\(shown) names a next page" }
  }
}

// MARK: - What a name and a value say

extension PageReading {
  /// A value beside a name.
  enum Value {
    case nothing
    case flag(Bool)
    case text(String)
    case object(JSONView)

    /// A whole number, also as text.
    var number: Int? {
      guard case .text(let text) = self else { return nil }
      return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
    }

    /// Whether it is written as prices are, with two digits or more behind a point.
    var isPrice: Bool {
      guard case .text(let text) = self, let point = text.lastIndex(of: ".") else { return false }
      return text[point...].count > 2
    }

    /// True or false, also as text.
    var flag: Bool? {
      switch self {
      case .flag(let flag): flag
      case .text(let text) where ["true", "yes"].contains(text.lowercased()): true
      case .text(let text) where ["false", "no"].contains(text.lowercased()): false
      case .text, .nothing, .object: nil
      }
    }

    /// Whether it leads anywhere.
    var leads: Bool {
      switch self {
      case .nothing: false
      case .flag(let flag): flag
      case .text(let text): number.map { $0 > 0 } ?? !PageWords.nothing.contains(text.lowercased())
      case .object(let view): view.leads
      }
    }

    /// What it is, for a message.
    var shown: String {
      switch self {
      case .nothing: "is null"
      case .flag(let flag): "is \(flag)"
      case .text: number.map { "is \($0)" } ?? flag.map { "is \($0)" } ?? "is given"
      case .object: "is given"
      }
    }
  }

  /// Takes in what a name says; gives whether it is one that speaks of further rows.
  @discardableResult
  mutating func judge(_ words: [String], _ value: Value, _ shown: String, isKnown: Bool) -> Bool {
    let set = Set(words)
    guard PageWords.blocked.isDisjoint(with: set),
      isKnown
        || set.isSubset(of: PageWords.all) && set.isDisjoint(with: PageWords.vague)
          && !PageWords.mayBeOfThing(set)
    else { return false }
    if judgePages(set, value, shown) { return true }
    if judgeFlag(set, value, shown) { return true }
    if judgeNext(set, value, shown) { return true }
    if isKnown, judgeTotal(set, value, shown) { return true }
    return judgeToken(set, value, shown)
  }

  /// `totalPages`, `pageCount`, `lastPage`; and the size of a page.
  private mutating func judgePages(_ words: Set<String>, _ value: Value, _ shown: String) -> Bool {
    guard let number = value.number else { return false }
    if PageWords.sizes.contains(where: { words.isSuperset(of: $0) }) {
      if number == rowCount, number > 0 {
        hint = hint ?? "\(shown) \(value.shown), and so many rows came: the page is full"
      }
      return true
    }
    let isCount =
      words.contains("pages")
      || words.contains("page") && !words.isDisjoint(with: PageWords.countsOfPages)
    guard isCount else { return false }
    if number > (words.contains("index") ? 0 : 1) { plain = plain ?? "\(shown) \(value.shown)" }
    // PocketBase gives -1 where it was asked not to count.
    if number >= 0 { isWhole = true }
    return true
  }

  /// `hasMore`, `isTruncated`, `hasNextPage`; `isLast`, `done`; `more` with where it is.
  private mutating func judgeFlag(_ words: Set<String>, _ value: Value, _ shown: String) -> Bool {
    // `more_info` and `profile_complete` are about something else.
    guard words.isSubset(of: PageWords.all.union(ownWords)) else { return false }
    let isOfMore = !words.isDisjoint(with: PageWords.more)
    let isOfEnd = !words.isDisjoint(with: PageWords.end)
    let isOfNext = !words.isDisjoint(with: PageWords.next)
    if let flag = value.flag, isOfMore || isOfEnd || isOfNext {
      if isOfMore || isOfNext ? flag : !flag {
        plain = plain ?? "\(shown) \(value.shown)"
      } else {
        isEnded = true
      }
      return true
    }
    guard isOfMore, !isOfNext else { return false }
    if value.leads { plain = plain ?? "\(shown) \(value.shown)" } else { isWhole = true }
    return true
  }

  /// `next`, `nextPageToken`, `@odata.nextLink`, `continue`.
  private mutating func judgeNext(_ words: Set<String>, _ value: Value, _ shown: String) -> Bool {
    guard !words.isDisjoint(with: PageWords.next) else { return false }
    if case .text(let text) = value {
      if ServerTime.instant(text) != nil || ServerTime.httpDate(text) != nil { return false }
      // What is no address is only for a name of nothing but pages: `next_event` is about something else.
      let isAddress = text.hasPrefix("http") || "/?".contains(text.first ?? " ")
      guard isAddress || words.isSubset(of: PageWords.all.union(ownWords)) else { return false }
    }
    guard value.leads else {
      isWhole = true
      return true
    }
    if words.isDisjoint(with: PageWords.tokens) {
      plain = plain ?? "\(shown) \(value.shown)"
    } else {
      token = token ?? "\(shown) \(value.shown)"
    }
    return true
  }

  /// `total`, `totalCount`, `numFound`, `recordsTotal`.
  private mutating func judgeTotal(_ words: Set<String>, _ value: Value, _ shown: String) -> Bool {
    let isTotal = words.contains("total") || words.contains("totals")
    if words.isSubset(of: ["total", "totals"]), isOfMoney || value.isPrice { return false }
    let things = words.subtracting(PageWords.neutral).subtracting(PageWords.counts)
    let isCount =
      things.isSubset(of: PageWords.things.union(ownWords))
      && (!words.isDisjoint(with: PageWords.counts) || !things.isEmpty)
    guard isTotal || isCount else { return false }
    if case .object(let view) = value {
      guard isTotal || !words.isDisjoint(with: PageWords.counts),
        let inner = view.members?.first(where: { Int($0.value.scalar ?? "") != nil })
      else { return false }
      return judgeTotal(words, .text(inner.value.scalar ?? ""), shown)
    }
    guard let number = value.number else { return false }
    if number > rowCount {
      plain =
        plain ?? "\(shown) \(value.shown), and \(rowCount) \(rowCount == 1 ? "row" : "rows") came"
    } else if isTotal, number == rowCount {
      isWhole = true
    }
    return true
  }

  /// `cursor`, `bookmark`, `continuationToken`, `LastEvaluatedKey`.
  private mutating func judgeToken(_ words: Set<String>, _ value: Value, _ shown: String) -> Bool {
    let isToken =
      !words.isDisjoint(with: PageWords.marks)
      || words.contains("token") && !words.isDisjoint(with: ["page", "skip", "list"])
      || words == ["after"] || words == ["offset"] && value.number == nil
    guard isToken, words.isDisjoint(with: PageWords.back) else { return false }
    if case .flag = value { return false }
    if case .object(let view) = value, !words.contains("evaluated"), view.isAboutPages {
      return false
    }
    if value.leads { hint = hint ?? "\(shown) \(value.shown)" } else { isWhole = true }
    return true
  }
}

extension JSONView {
  fileprivate init?(text: String) {
    do throws(JSONError) { try self.init(parsing: Array(text.utf8)) } catch { return nil }
  }

  /// A text or the digits of a number.
  fileprivate var scalar: String? { text ?? literal }

  /// Whether anything in it says where to go on.
  fileprivate var leads: Bool {
    (members ?? []).contains { member in
      switch member.value.kind {
      case .string: !PageWords.nothing.contains(member.value.text?.lowercased() ?? "")
      case .number: member.value.literal.flatMap { Double($0) }.map { $0 > 0 } ?? false
      case .object: member.value.leads
      case .null, .boolean, .array: false
      }
    }
  }

  /// Whether an object has a member that only what speaks of pages has, or a number of pages and
  /// another count.
  fileprivate var isAboutPages: Bool {
    hasMember { !PageWords.mayBeOfThing($0) && !PageWords.ofPages.isDisjoint(with: $0) }
      || hasMember(PageWords.mayBeOfThing)
        && hasMember { !PageWords.mayBeOfThing($0) && !PageWords.counts.isDisjoint(with: $0) }
  }

  /// Whether the name of any member has such words.
  fileprivate func hasMember(_ isMeant: (Set<String>) -> Bool) -> Bool {
    (members ?? []).contains { isMeant(Set(PageWords.words(of: $0.name))) }
  }
}

extension String {
  fileprivate var trimmingSpace: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
