import Files
import NIOHTTP1
package import Retrying

/// How much is fetched, and for how long it is waited.
package struct FetchLimits: Hashable, Sendable {
  /// The most bytes of one file.
  package var size: Int64 = 50 << 20
  /// The most addresses that are asked in one run.
  package var count = 10_000
  /// How long one attempt may take, from the connection to the last byte.
  package var time: Duration = .seconds(60)

  package init() {}
}

/// A file that is wanted from an address.
package struct MediaFetchRequest: Hashable, Sendable {
  package let address: String
  /// The hosts that may be asked, `*.` in front for those below; every public one where none is named.
  package let hosts: [String]
  /// The Internet media types that file has; whatever comes is taken where none is named.
  package let mediaTypes: Set<String>

  package init(address: String, hosts: [String], mediaTypes: Set<String>) {
    self.address = address
    self.hosts = hosts
    self.mediaTypes = mediaTypes
  }
}

/// Fetches files from addresses that records name.
///
/// - Only http and https are spoken; a redirect leads from one such address to another, never from
///   https to http, and at most ``redirectLimit`` times.
/// - Where the profile names no hosts, only those of the public Internet are asked, see
///   ``FetchConnections``.
/// - No credential, no cookie and no name or password of an address is sent.
/// - A file appears whole under its path or not at all, and goes to the disk piece by piece.
/// - A page instead of a picture, as networks with a sign-in page give it, is no file: the answer's
///   media type has to be of a kind with one that is asked, where it says one at all.
package struct MediaFetcher: Sendable {
  private let connections: FetchConnections
  private let limits: FetchLimits

  /// How many redirects are followed on the way to one file.
  package static let redirectLimit = 5
  /// How often a file is asked for again whose host does not answer, or answers with a passing fault.
  private static let policy = RetryPolicy(limit: 2, first: .milliseconds(500))
  private let clock: RunClock

  package init(connections: FetchConnections, limits: FetchLimits, clock: RunClock = .system) {
    self.connections = connections
    self.limits = limits
    self.clock = clock
  }

  /// Fetches a file to a path.
  ///
  /// - Returns: The file's size in bytes.
  /// - Throws: ``FetchFailure``; nothing is at the path then.
  package func fetch(_ mediaRequest: MediaFetchRequest, to path: String) async throws(FetchFailure)
    -> Int64
  {
    let draft = path + Self.draftEnding
    var retries = RetryCounter(Self.policy)
    while true {
      do throws(FetchFailure) {
        let size = try await follow(mediaRequest, into: draft)
        try Self.writing { () throws(FileError) in try WholeFile.place(draft, at: path) }
        return size
      } catch {
        try Self.writing { () throws(FileError) in try Folder.remove(draft) }
        guard error.mayPass, !Task.isCancelled, let wait = retries.wait() else { throw error }
        await Waits.during(.retry, atMost: wait) { await clock.sleep(for: wait) }
      }
    }
  }

  /// What the names of files end with that are not whole yet.
  package static let draftEnding = ".draft"

  /// Asks at the address, and where it sends to.
  private func follow(
    _ mediaRequest: MediaFetchRequest,
    into draft: String
  ) async throws(FetchFailure) -> Int64 {
    var address = try FetchAddress(mediaRequest.address, hosts: mediaRequest.hosts)
    var transport = try await connections.transport(to: address)
    for _ in 0...Self.redirectLimit {
      let answer = try await ask(address, over: transport, for: mediaRequest, into: draft)
      switch answer.body {
      case .kept(let size): return size
      case .tooLarge: throw .tooLarge(limit: limits.size)
      case .unwritable(let error): throw .unwritable(error)
      case .left: break
      }
      guard Self.redirects.contains(answer.head.status),
        let location = answer.head.headers.first(name: "Location")
      else { throw Self.failure(of: answer.head, from: address.host) }
      let sender = address.host
      address = try address.redirected(to: location)
      do throws(FetchFailure) { transport = try await connections.transport(to: address) } catch {
        throw error.afterRedirect(from: sender)
      }
    }
    throw .redirected(reason: "the host redirects more than \(Self.redirectLimit) times")
  }

  private func ask(
    _ address: FetchAddress,
    over transport: HTTPTransport,
    for mediaRequest: MediaFetchRequest,
    into draft: String
  ) async throws(FetchFailure) -> HTTPDownload {
    let request = HTTPRequest(
      method: "GET",
      url: address.text,
      headers: ["Accept": "*/*"],
      timeout: limits.time
    )
    do throws(HTTPFailure) {
      return try await transport.download(request, to: draft, atMost: limits.size) { head in
        head.status == 200 && head.isPlain && mediaRequest.takes(head.mediaType)
      }
    } catch {
      throw .unreachable(host: address.host, reason: error.description)
    }
  }

  /// The statuses that send elsewhere.
  ///
  /// https://www.rfc-editor.org/rfc/rfc9110#section-15.4
  private static let redirects: Set = [301, 302, 303, 307, 308]

  /// Why an answer was not taken for the file.
  private static func failure(of head: HTTPAnswer, from host: String) -> FetchFailure {
    guard head.status == 200 else { return .refused(host: host, status: head.status) }
    guard head.isPlain else {
      return .otherKind(reason: "\(host) sent it packed, which was not asked for")
    }
    return .otherKind(reason: "\(host) sent “\(head.mediaType.prefix(100))”")
  }

  private static func writing(_ body: () throws(FileError) -> Void) throws(FetchFailure) {
    do throws(FileError) { try body() } catch { throw .unwritable(error) }
  }
}

extension HTTPAnswer {
  /// Whether the body is the file itself, and not packed in some way.
  fileprivate var isPlain: Bool {
    let coding = headers.first(name: "Content-Encoding") ?? ""
    return ["", "identity"].contains(coding.lowercased())
  }
}

extension MediaFetchRequest {
  /// Whether a media type is of a kind with one that is asked: a picture for a picture.
  ///
  /// A server that does not know what it sends says nothing, or `application/octet-stream`.
  func takes(_ mediaType: String) -> Bool {
    guard !mediaTypes.isEmpty, !mediaType.isEmpty else { return true }
    if mediaType.hasSuffix("/octet-stream") { return true }
    let kinds = mediaTypes.map { $0.lowercased().prefix { $0 != "/" } }
    return mediaTypes.contains(mediaType)
      || kinds.contains { $0 != "application" && $0 == mediaType.prefix { $0 != "/" } }
  }
}
