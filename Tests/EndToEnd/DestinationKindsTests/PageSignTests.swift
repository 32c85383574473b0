import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import Records
import REST
import Testing

/// Lists of which a profile does not say how their next page is asked for.
struct PageSignTests {
  private static func api(_ more: String = "") throws -> Api {
    try Sample.api(
      of: "Note",
      fields: ["text"],
      """
      replay: id
      list: { request: GET /notes, items: items\(more) }
      create: { request: "PUT /notes/{id}" }
      body: { text: text }
      """
    )
  }

  private static let rows: JSONValue = [["id": "n1"], ["id": "n2"]]

  /// What comes of the only page that is asked for.
  private func read(
    _ answer: JSONObject,
    _ headers: [(String, String)] = [],
    _ more: String = ""
  ) async throws -> Result<Int, DestinationError> {
    var body = answer
    body["items"] = Self.rows
    let reply = ScriptedServer.Reply.json(.object(body), headers: headers)
    var result = Result<Int, DestinationError>.success(0)
    try await withScript(api: try Self.api(more), { _ in reply }) { destination, _ in
      do throws(DestinationError) {
        let page = try await destination.page(of: "Note", after: nil, since: nil)
        #expect(page.next == nil)
        result = .success(page.records.count)
      } catch {
        result = .failure(error)
      }
    }
    return result
  }

  private func isRefused(_ result: Result<Int, DestinationError>) -> Bool {
    guard case .failure(let error) = result else { return false }
    return !error.isPassing && error.description.contains("more rows follow")
  }

  @Test(
    arguments: [
      ["page": 1, "perPage": 2, "totalPages": 2, "totalItems": 3], ["next": "/notes?page=2"],
      ["next_page_url": "https://example.com/notes?page=2"], ["has_more": true],
      ["meta": ["pagination": ["page": 1, "pageCount": 2]]], ["meta": ["last_page": 2]],
      ["pagination": ["hasMore": true]], ["links": ["next": "/notes?page=2"]],
    ] as [JSONObject]
  )
  func `an answer that announces further pages is not a whole list`(signs: JSONObject) async throws
  {
    #expect(try await isRefused(read(signs)))
  }

  @Test(arguments: [
    ("Link", "</notes?page=2>; rel=\"next\", </notes?page=9>; rel=\"last\""),
    ("Content-Range", "0-1/3"), ("Content-Range", "items 0-1/3"), ("Content-Range", "0-1/*"),
  ])
  func `a header that announces further pages makes the list incomplete`(
    name: String,
    value: String
  ) async throws {
    #expect(try await isRefused(read([:], [(name, value)])))
  }

  @Test(
    arguments: [
      [:], ["page": 1, "perPage": 30, "totalPages": 1, "totalItems": 2], ["next": .null],
      ["next": ""], ["has_more": false], ["meta": ["pagination": ["page": 1, "pageCount": 1]]],
      ["meta": ["last_page": 1]], ["links": ["next": .null]],
    ] as [JSONObject]
  )
  func `an answer that announces one page is the whole list`(signs: JSONObject) async throws {
    #expect(try await read(signs).get() == 2)
    let headers = [("Link", "</notes>; rel=\"self\""), ("Content-Range", "0-1/2")]
    #expect(try await read(signs, headers).get() == 2)
  }

  @Test func `a full first page is not taken for the whole list`() async throws {
    #expect(try await isRefused(read([:], [], ", limit: { name: limit, value: 2 }")))
    #expect(try await read([:], [], ", limit: { name: limit, value: 3 }").get() == 2)
  }

  @Test func `a profile's own sign of further pages is used`() async throws {
    #expect(try await isRefused(read(["rest": true], [], ", more: rest")))
    #expect(try await read(["rest": false], [], ", more: rest").get() == 2)
  }
}
