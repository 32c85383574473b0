import DestinationModel
import JSONText
import Profiles
import REST
import Testing
import UploadPlanning

/// Whether a destination has the route that files need, before any record is sent.
struct FileCheckTests {
  private static let ticket = "POST /api/files/upload"

  private func check(
    media: Bool = true,
    _ reply: ScriptedServer.Reply
  ) async throws -> (checks: [DestinationCheck], asked: Int) {
    var found: (checks: [DestinationCheck], asked: Int) = ([], 0)
    try await withScript(api: Sample.api(media: media), { _ in reply }) { destination, server in
      let checks = await destination.fileChecks()
      let tickets = server.requests.filter { $0.line == Self.ticket }
      #expect(tickets.allSatisfy { $0.json == [:] })
      found = (checks, tickets.count)
    }
    return found
  }

  @Test(arguments: [404, 405, 410, 501])
  func `a missing ticket route is found with a request that asks for nothing`(
    status: Int
  ) async throws {
    let (checks, asked) = try await check(.json(["error": "NotFound"], status: status))
    #expect(asked == 1)
    #expect(checks.map(\.verdict) == [.unfit])
    #expect(checks.first?.detail.contains("the destination has no \(Self.ticket)") == true)
    #expect(checks.first?.cure?.contains("enabled: false") == true)
  }

  @Test func `a page of HTML instead of an answer is a missing ticket route`() async throws {
    let page = ScriptedServer.Reply.text("<html></html>", status: 404, type: "text/html")
    #expect(try await check(page).checks.map(\.verdict) == [.unfit])
  }

  @Test(arguments: [200, 400, 409, 413, 422])
  func `a ticket route that refuses an empty request is there`(status: Int) async throws {
    let (checks, _) = try await check(.json(["error": "ValidationError"], status: status))
    #expect(checks.map(\.verdict) == [.fits])
  }

  @Test func `a failure of the server shows nothing of the ticket route`() async throws {
    let (checks, _) = try await check(.json(["error": "down"], status: 500))
    #expect(checks.map(\.verdict) == [.unknown])
  }

  @Test func `a server that asks to wait leaves the ticket route unreached`() async throws {
    let (checks, _) = try await check(.json(["error": "busy"], status: 503))
    #expect(checks.map(\.verdict) == [.unreached])
  }

  @Test func `no ticket route is asked where no file is sent`() async throws {
    let (checks, asked) = try await check(media: false, .json([:], status: 404))
    #expect(checks.isEmpty)
    #expect(asked == 0)
  }

  @Test func `a ticket route that is gone amid a run refuses the run and no record`() async throws {
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar([1, 2, 3], in: folder, size: nil)
      try await withScript(
        api: Sample.api(media: true),
        { _ in .json(["error": "NotFound"], status: 404) }
      ) { destination, _ in
        let answer = await destination.send(.heroes(.uploadMedia, [.number(1, media: media)]))
        guard case .refused(let reason) = answer.whole else {
          Issue.record("\(answer)")
          return
        }
        #expect(reason.contains("the destination has no \(Self.ticket)"))
      }
    }
  }
}
