/// The words of names that speak of the pages of a list; see ``PageSigns``.
package enum PageWords {
  /// The words of a name, in lower case: `X-TotalCount`, `total_count` and `totalcount` have the same.
  package static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var last: Unicode.Scalar?
    for scalar in name.unicodeScalars {
      let isLetter = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      let isHump = scalar.properties.isUppercase && last?.properties.isLowercase == true
      if isHump || !isLetter {
        words.append(word)
        word = ""
      }
      if isLetter { word.unicodeScalars.append(scalar) }
      last = scalar
    }
    words.append(word)
    return words.filter { !$0.isEmpty }.flatMap { parted($0.lowercased()) }
  }

  /// A word that others are written into without a gap, in these; any other as it is.
  private static func parted(_ word: String) -> [String] {
    guard !all.contains(word), !blocked.contains(word), word.utf8.count <= 40 else { return [word] }
    let letters = Array(word)
    // The parts of the first so many letters, where they are words of these.
    var parts: [[String]?] = [[]] + letters.map { _ in nil }
    for end in letters.indices.map({ $0 + 1 }) {
      for start in 0..<end {
        guard let before = parts[start] else { continue }
        let part = String(letters[start..<end])
        guard part.count > 1, all.contains(part) || blocked.contains(part) else { continue }
        parts[end] = before + [part]
        break
      }
    }
    return parts[letters.count] ?? [word]
  }

  static let more: Set = [
    "more", "truncated", "incomplete", "partial", "remaining", "further", "additional", "left",
  ]
  static let end: Set = [
    "last", "done", "complete", "completed", "finished", "end", "ended", "eof", "exhausted",
    "final",
  ]
  /// Words that other things have too: a task may be done, and a voucher may have something left.
  static let vague: Set = [
    "done", "complete", "completed", "finished", "end", "ended", "final", "last", "incomplete",
    "partial", "remaining", "left", "additional",
  ]
  static let next: Set = [
    "next", "continue", "continuation", "resumption", "subsequent", "forward",
  ]
  /// With these, what comes next is named by a token that means nothing to others.
  static let tokens: Set = [
    "token", "cursor", "marker", "key", "continuation", "continue", "resumption", "bookmark",
    "scroll", "partition", "state",
  ]
  /// Marks in a list, given by some after the last row too.
  static let marks: Set = ["cursor", "bookmark", "marker", "scroll", "evaluated", "skiptoken"]
  static let back: Set = [
    "prev", "previous", "first", "self", "current", "before", "back", "backward", "start",
    "begin",
  ]
  static let counts: Set = [
    "count", "counts", "found", "matched", "hits", "total", "totals", "filtered",
  ]
  /// What is counted.
  static let things: Set = [
    "item", "items", "record", "records", "result", "results", "row", "rows", "element",
    "elements", "entry", "entries", "object", "objects", "document", "documents", "doc", "docs",
    "match", "matches", "hits", "entity", "entities", "resource", "resources", "all", "full",
    "overall",
  ]
  static let countsOfPages: Set = ["total", "count", "last", "max", "final"]
  /// What together names the size of a page.
  static let sizes: [Set<String>] = [
    ["limit"], ["per", "page"], ["page", "size"], ["page", "length"], ["max", "results"],
  ]
  /// The names of objects that speak of the list.
  static let containers: Set = [
    "meta", "metadata", "page", "pages", "paging", "paged", "pagination", "paginator", "pager",
    "info", "link", "links", "cursor", "cursors", "nav", "navigation", "list", "listing",
    "collection", "collections", "response", "result", "results", "resultset", "hits", "header",
    "headers", "envelope", "range", "next", "total", "totals", "count", "counts", "continue",
    "continuation", "more", "summary", "control", "controls", "context", "search", "query",
    "connection", "feed", "data", "set", "body", "d",
  ]
  /// Words of members that only an object about pages has.
  static let ofPages: Set = [
    "page", "pages", "limit", "offset", "cursor", "next", "prev", "previous",
  ]
  /// Whether a name may be that of the pages of one thing, such as a book: `pages`, `pageCount`.
  static func mayBeOfThing(_ words: Set<String>) -> Bool {
    words.isSubset(of: ["page", "pages", "count", "num", "number", "of"])
      && (words.contains("pages") || words.isSuperset(of: ["page", "count"]))
  }

  /// Words of members that are beside a total of money.
  static let money: Set = ["subtotal", "subtotals", "sub", "tax", "taxes", "vat"]
  /// Values that say that there is nothing.
  static let nothing: Set = ["", "null", "none", "nil", "undefined", "false", "no"]
  static let neutral: Set = [
    "x", "is", "has", "have", "are", "the", "of", "in", "for", "to", "odata", "opensearch", "wp",
    "ms", "list", "there", "query", "search", "result", "value", "num", "number", "size", "str",
    "at", "any", "can", "was", "load", "fetch", "coming", "reached", "pending", "available",
  ]
  private static let ofPlaces: Set = [
    "link", "links", "url", "uri", "href", "offset", "skip", "id", "index", "position", "path",
    "params", "batch", "chunk", "segment", "part", "slice", "window", "set", "from", "after",
    "since", "exists", "page", "pages", "paging", "pagination", "token", "key", "per", "limit",
    "max", "length", "records", "cursors", "data", "start", "range", "request",
  ]

  /// Every word that speaks of pages.
  static let all: Set<String> = [
    more, end, next, tokens, marks, back, counts, things, countsOfPages, neutral, ofPlaces,
  ].reduce(into: []) { $0.formUnion($1) }

  /// Words that make a name speak of something else.
  static let blocked: Set<String> = money.union([
    "sync", "delta", "rate", "ratelimit", "quota", "retry", "retries", "requests", "time",
    "timeout",
    "date", "update", "updated", "updates", "refresh", "poll", "polling", "run", "reset", "billing",
    "payment", "due", "schedule", "scheduled", "review", "expires", "expiry", "ttl", "age", "byte",
    "bytes", "millis", "milliseconds", "seconds", "duration", "took", "price", "amount", "cost",
    "sum", "score", "shards", "credits", "budget", "version", "revision", "level", "unread",
    "views",
    "likes", "error", "errors", "failed", "failures", "warnings", "deleted", "modified", "facets",
    "aggregations", "usage", "statistics", "attempt", "attempts", "calls", "tries", "csrf", "auth",
    "access", "session", "login",
  ])
}
