import JSONText
import NIOHTTP1

/// What the answer to a list that the profile takes for whole says of further pages.
///
/// Taken for whole, a page of a list would pass for the account, and what stands on the others would be made
/// a second time.
///
/// | sign | tells of more |
/// |---|---|
/// | `totalPages`, `pageCount`, `lastPage` | above 1 |
/// | `hasMore`, `hasNext`, `hasNextPage` | true |
/// | `next`, `nextPage`, `nextPageUrl` | there and not empty |
/// | `Link` | with `rel="next"` |
/// | `Content-Range: 0-24/80` | with another count than that of the rows, or with none (`*`) |
///
/// The members stand beside the rows, or in `meta`, `pagination`, `meta.pagination` or `links` there, and may
/// be written `total_pages`.
enum PageSigns {
  private static let counts = [
    "totalPages", "total_pages", "pageCount", "page_count", "lastPage", "last_page",
  ]
  private static let flags = [
    "hasMore", "has_more", "hasNext", "has_next", "hasNextPage", "has_next_page",
  ]
  private static let places = ["next", "nextPage", "next_page", "nextPageUrl", "next_page_url"]

  /// Whether an answer with so many rows tells of more.
  static func tellOfMore(_ answer: JSONView, _ headers: HTTPHeaders, than rowCount: Int) -> Bool {
    let meta = answer["meta"]
    let around = [answer, meta, answer["pagination"], meta?["pagination"], answer["links"]]
    return around.contains { $0.map { hasSign($0) } ?? false }
      || headers["Link"].contains { isOfNext($0) }
      || headers["Content-Range"].contains { whole(of: $0) != rowCount }
  }

  private static func hasSign(_ object: JSONView) -> Bool {
    counts.contains { (object[$0]?.literal.flatMap { Int($0) } ?? 0) > 1 }
      || flags.contains { object[$0]?.boolean == true }
      || places.contains { object[$0]?.shortText != nil }
  }

  private static func isOfNext(_ link: String) -> Bool {
    let plain = link.lowercased().filter { $0 != " " && $0 != "\"" }
    return plain.contains("rel=next")
  }

  private static func whole(of range: String) -> Int? {
    range.split(separator: "/").last.flatMap { Int($0) }
  }
}
