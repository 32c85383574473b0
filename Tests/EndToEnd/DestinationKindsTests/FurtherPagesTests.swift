import DestinationModel
import JSONText
import NIOHTTP1
import Profiles
import REST
import Testing

/// What an answer says of rows that did not come with it.
struct FurtherPagesTests {
  /// The members and headers around two rows under `items`.
  struct Answer: Sendable, CustomTestStringConvertible {
    var members: JSONObject = [:]
    var headers: [(String, String)] = []
    var status = 200

    init(_ members: JSONObject) { self.members = members }

    init(_ name: String, _ value: String, status: Int = 200) {
      headers = [(name, value)]
      self.status = status
    }

    var testDescription: String {
      "\(JSONValue.object(members).canonicalText) \(headers) \(status)"
    }

    var sign: String? {
      get throws {
        var body = members
        body["items"] = [["id": "a"], ["id": "b"]]
        return PageSigns.ofMore(
          in: try JSONView(parsing: JSONValue.object(body).canonicalBytes),
          items: MemberPath("items"),
          headers: HTTPHeaders(headers),
          status: status,
          rowCount: 2
        )
      }
    }
  }

  @Test(arguments: [
    Answer("X-Total-Count", "5"), Answer("X-WP-Total", "5"), Answer("X-WP-TotalPages", "3"),
    Answer("Total-Records", "5"), Answer("X-Next-Page", "2"), Answer("X-Has-More", "true"),
    Answer("X-Pagination", #"{"TotalCount":5,"PageSize":2}"#), Answer("x-ms-continuation", "abc"),
    Answer("Content-Range", "0-1/5"), Answer("Content-Range", "items 0-1/5", status: 206),
    Answer("Content-Range", "0-1/*", status: 206), Answer("Accept-Ranges", "items", status: 206),
    Answer("Link", #"</items?page=2>; rel="next""#), Answer("Link", "<?p=2>; title=x; REL=next"),
  ])
  func `a header that announces more pages leads to the next page`(answer: Answer) throws {
    #expect(try answer.sign != nil)
  }

  @Test(arguments: [
    Answer(["total": 5]), Answer(["count": 5]), Answer(["total_rows": 5]), Answer(["totalSize": 5]),
    Answer(["numFound": 5]), Answer(["recordsTotal": 5]), Answer(["@odata.count": 5]),
    Answer(["totalcount": "5"]), Answer(["total": ["value": 5, "relation": "eq"]]),
    Answer(["meta": ["pagination": ["total": 5]]]), Answer(["meta": ["totalResults": 5]]),
    Answer(["page": ["size": 2, "totalElements": 5, "totalPages": 3, "number": 0]]),
    Answer(["paging": ["page": 1, "pages": 3]]), Answer(["last_page": 3]), Answer(["pageCount": 2]),
    Answer(["@attr": ["page": "1", "perPage": "2", "totalPages": "3"]]),
    Answer(["has_more": true]), Answer(["hasmore": true]), Answer(["truncated": true]),
    Answer(["moreAvailable": true]), Answer(["moreComing": true]), Answer(["more": "/items?p=2"]),
    Answer(["IsTruncated": "true"]), Answer(["remainingItemCount": 3]), Answer(["isLast": false]),
    Answer(["isLastPage": false]), Answer(["done": false]), Answer(["complete": false]),
    Answer(["endOfRecords": false]), Answer(["pageInfo": ["hasNextPage": true]]),
    Answer(["next": "/items?page=2"]), Answer(["next": 2]), Answer(["nextPageToken": "abc"]),
    Answer(["NextToken": "abc"]), Answer(["@odata.nextLink": "https://example.com/items?$skip=2"]),
    Answer(["nextRecordsUrl": "/q/1"]), Answer(["next_cursor": "abc", "start_cursor": .null]),
    Answer(["links": ["next": "https://example.com/"]]),
    Answer(["_links": ["next": ["href": "/items?p=2"]]]),
    Answer(["links": [["rel": "self", "href": "/a"], ["rel": "next", "href": "/b"]]]),
    Answer(["link": [["relation": "next", "url": "/b"]]]),
    Answer(["metadata": ["continue": "abc"]]), Answer(["continue": ["from": "x"]]),
    Answer(["LastEvaluatedKey": ["id": "b"]]), Answer(["bookmark": "g1AAAA"]),
    Answer(["_scroll_id": "abc"]), Answer(["pagination": ["cursor": "abc"]]),
    Answer(["offset": "itr/rec"]), Answer(["paging": ["next": ["after": "2"]]]),
    Answer(["limit": 2]), Answer(["perPage": 2, "totalItems": -1, "totalPages": -1]),
    Answer(["response_metadata": ["next_cursor": "abc"]]),
    Answer(["list": ["hasNext": true]]), Answer(["whatever": ["hasNextPage": true]]),
    Answer(["whatever": ["pages": 3, "page": 1]]), Answer(["whatever": ["pages": 3, "total": 5]]),
    Answer(["total": "5.0"]), Answer(["total": 1999, "currency": "EUR"]),
  ])
  func `a field that announces more pages leads to the next page`(answer: Answer) throws {
    #expect(try answer.sign != nil)
  }

  @Test(arguments: [
    Answer([:]), Answer(["total": 2]), Answer(["count": 2]), Answer(["total": 2, "limit": 2]),
    Answer(["next": .null]), Answer(["next": ""]), Answer(["has_more": false]),
    Answer(["nextPageToken": ""]), Answer(["next": ["href": .null]]), Answer(["next_cursor": "0"]),
    Answer(["next_cursor": -1]), Answer(["links": ["next": .null, "last": "/items?page=1"]]),
    Answer(["has_more": false, "cursor": "abc"]),
    Answer(["has_more": false, "next_cursor": "abc"]),
    Answer(["pageInfo": ["hasNextPage": false, "endCursor": "abc"]]), Answer(["isLast": true]),
    Answer(["page": ["size": 20, "totalElements": 2, "totalPages": 1, "number": 0]]),
    Answer(["page": 1, "perPage": 30, "totalPages": 1, "totalItems": 2]), Answer(["limit": 50]),
    Answer(["pageSize": 2, "next": .null]), Answer(["continue": [:]]), Answer(["bookmark": ""]),
    Answer(["nextSyncToken": "abc"]), Answer(["next_event": "Party"]), Answer(["total_bytes": 900]),
    Answer(["next_update": "2026-11-27T16:00:00Z"]), Answer(["more_info": "https://example.com"]),
    Answer(["rate_limit": ["remaining": 59, "limit": 60]]), Answer(["_shards": ["total": 5]]),
    Answer(["user": ["posts_total": 99, "followers": ["count": 7]]]), Answer(["took": 12]),
    Answer(["cursors": ["before": "abc"]]), Answer(["offset": 0]), Answer(["done": true]),
    Answer(["project": ["done": false]]), Answer(["plan": ["completed": false, "left": 3]]),
    Answer(["voucher": ["remaining": 20]]), Answer(["lesson": ["is_last": false]]),
    Answer(["book": ["pages": 320]]), Answer(["book": ["title": "A", "pageCount": 320]]),
    Answer(["total": 1999, "subtotal": 1800, "tax": 199]), Answer(["total_tax": 199]),
    Answer(["invoice": ["total": 1999]]), Answer(["total": "19.99"]), Answer(["total": "19.00"]),
    Answer(["total": 1999, "sub_total": 1800]),
    Answer("X-Total-Count", "2"), Answer("X-Next-Page", ""), Answer("Content-Range", "0-1/2"),
    Answer("Content-Range", "items 0-1/2", status: 206), Answer("X-RateLimit-Remaining", "59"),
    Answer("Content-Range", "bytes 0-99/100"), Answer("Link", #"</items>; rel="prev""#),
    Answer("Content-Range", "*/*"),
    Answer("Link", #"</other>; title="rel=next"; rel="self""#), Answer("Age", "5"),
    Answer("Link", #"</items?page=2>; rel="next"; anchor="/other""#),
    Answer("X-Envoy-Attempt-Count", "3"), Answer("X-Cache-Hits", "5"), Answer("Retry-After", "5"),
  ])
  func `an answer that announces no more pages is a complete list`(answer: Answer) throws {
    #expect(try answer.sign == nil)
  }

  @Test func `page signs are found beside nested rows`() throws {
    let answer = try JSONView(
      parsing: Array(#"{"data":{"notes":{"nodes":[{"id":"a"}],"totalCount":3}}}"#.utf8)
    )
    let items = MemberPath("data.notes.nodes")
    let sign = PageSigns.ofMore(in: answer, items: items, rowCount: 1)
    #expect(sign == "“data.notes.totalCount” is 3, and 1 row came")
    #expect(PageSigns.ofMore(in: answer, items: items, rowCount: 3) == nil)
  }

  @Test(arguments: [
    ("totalCount", ["total", "count"]), ("X-WP-TotalPages", ["x", "wp", "total", "pages"]),
    ("has_more", ["has", "more"]), ("nextpagetoken", ["next", "page", "token"]),
    ("@odata.nextLink", ["odata", "next", "link"]), ("season", ["season"]),
    ("nextSyncToken", ["next", "sync", "token"]),
  ])
  func `a field name is split into words`(name: String, words: [String]) {
    #expect(PageWords.words(of: name) == words)
  }
}
