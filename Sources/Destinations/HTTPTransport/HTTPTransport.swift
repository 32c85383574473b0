import AsyncHTTPClient
import LongTexts
import NIOCore
import NIOHTTP1
import NIOPosix
import Retrying
import Synchronization

/// Sends requests over HTTP/1.1 and reads the answers, one attempt a call.
///
/// Redirects are not followed, so that nothing meant for one server reaches another. Certificates
/// are always checked. Answers are asked for without compression, and unpacked where they come packed all the
/// same, unless they are files as they are stored; at most 64 MiB are taken.
///
/// Every request waits for its turn first, see ``RateLimiter``; its time begins when it leaves.
///
/// ``shutdown()`` has to be called before the last reference is dropped.
package final class HTTPTransport: Sendable {
  /// The largest answer that is read: it is held whole, and so is what is understood of it.
  package static let largestAnswer = 64 << 20
  /// The same of one whose long texts are stored apart as they come.
  private static let largestPassing = 1 << 30

  /// When requests leave.
  package let turns: RateLimiter

  private let client: HTTPClient
  private let proxies: ProxySettings
  private let proxied: [ProxySettings.Proxy: HTTPClient]
  /// The thread on which all connections are read and written.
  private let loop: any EventLoop
  private let userAgent: String

  /// A turn that came: what lets one request leave.
  package struct Turn {
    fileprivate init() {}
  }

  /// Makes a transport that calls itself `userAgent`.
  ///
  /// A host in `addresses` is looked up nowhere: its connections go to the address beside it. `proxies` are
  /// asked for every other.
  package init(
    userAgent: String = "ferry",
    connectTimeout: Duration = .seconds(10),
    turns: RateLimiter = RateLimiter(),
    proxies: ProxySettings = .none,
    addresses: [String: String] = [:]
  ) {
    self.userAgent = userAgent
    self.turns = turns
    self.proxies = proxies
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(connectTimeout)),
      decompression: .disabled
    )
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    // Servers close idle connections after 5 seconds and more; a request that meets the closing
    // would be lost without a trace.
    configuration.connectionPool.idleTimeout = .seconds(3)
    configuration.http1_1ConnectionDebugInitializer = { AnswerHeads.check($0) }
    configuration.dnsOverride = addresses
    loop = MultiThreadedEventLoopGroup.singleton.next()
    client = HTTPClient(eventLoopGroup: loop, configuration: configuration)
    var proxied: [ProxySettings.Proxy: HTTPClient] = [:]
    for proxy in proxies.all {
      configuration.proxy = proxy.ofClient
      proxied[proxy] = HTTPClient(eventLoopGroup: loop, configuration: configuration)
    }
    self.proxied = proxied
  }

  /// Closes all connections; nothing can be sent any more.
  package func shutdown() async {
    for client in [client] + proxied.values {
      do {
        try await client.shutdown()
      } catch {
        // A second shutdown, or a connection that closed by itself: closed is what was wanted.
      }
    }
  }

  /// Waits for a turn: for a request that is signed as of the moment at which it leaves.
  package func turn() async throws(HTTPFailure) -> Turn {
    try await turns.take()
    return Turn()
  }

  /// Sends one request and reads its answer to the end, regardless of its status.
  package func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPAnswer {
    try await perform(request, in: try await turn())
  }

  /// The same, in a turn that came.
  package func perform(_ request: HTTPRequest, in turn: Turn) async throws(HTTPFailure)
    -> HTTPAnswer
  {
    let request = try request.withTexts()
    let executor = request.body.isAtHand ? LoopExecutor(loop) : nil
    return try await exchange(request, in: turn, on: executor) { response in
      if let texts = request.texts, response.isPlainJSON {
        return HTTPAnswer(response, body: try await Self.body(of: response, texts))
      }
      // What is only asked about is announced, and does not come.
      let body = request.method == "HEAD" ? [] : try await Self.body(of: response)
      if request.keepsCoding, 200...299 ~= response.status.code {
        return HTTPAnswer(response, body: body)
      }
      return HTTPAnswer(
        response,
        body: try PackedBody.unpacked(body, response.headers, limit: Self.largestAnswer)
      )
    }
  }

  /// The whole body; not a byte is read of one that announces more than is taken.
  private static func body(of response: HTTPClientResponse) async throws -> [UInt8] {
    let announced = response.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
    guard announced <= largestAnswer else { throw NIOTooManyBytesError(maxBytes: largestAnswer) }
    var bytes: [UInt8] = []
    for try await piece in response.body {
      guard bytes.count + piece.readableBytes <= largestAnswer else {
        throw NIOTooManyBytesError(maxBytes: largestAnswer)
      }
      bytes.append(contentsOf: piece.readableBytesView)
    }
    return bytes
  }

  /// The body of JSON with a stand-in for each long text, which is stored apart.
  private static func body(
    of response: HTTPClientResponse,
    _ texts: LongTexts
  ) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    var filter: LongTextFilter?
    var count = 0
    for try await piece in response.body {
      count += piece.readableBytes
      guard count <= largestPassing, filter?.output.count ?? 0 <= largestAnswer else {
        throw NIOTooManyBytesError(maxBytes: largestAnswer)
      }
      if filter != nil {
        try piece.withUnsafeReadableBytes { try filter?.take($0) }
        continue
      }
      bytes.append(contentsOf: piece.readableBytesView)
      guard bytes.count > LongText.mostHeld else { continue }
      filter = LongTextFilter(texts, .written)
      try filter?.take(bytes)
      bytes = []
    }
    guard let filter = filter.take() else { return try texts.standingIn(bytes) }
    return filter.finished()
  }

  /// Sends one request and has its answer read, all of it within the request's time.
  ///
  /// `executor` is where all of it runs, if it waits for nothing but the connection.
  func exchange<Answer: Sendable>(
    _ request: HTTPRequest,
    in _: Turn,
    on executor: (any TaskExecutor)? = nil,
    read: @escaping @Sendable (HTTPClientResponse) async throws -> Answer
  ) async throws(HTTPFailure) -> Answer {
    if Task.isCancelled { throw .neverSent(reason: "the run was stopped before the request") }
    let attempt = Task(executorPreference: executor) { await self.attempt(request, read: read) }
    // A sleeping task would stay in memory until its time had come, long after it was cancelled.
    let isLate = Mutex(false)
    let alarm = loop.scheduleTask(in: TimeAmount(request.timeout)) {
      isLate.withLock { $0 = true }
      attempt.cancel()
    }
    let result = await Waits.during(.answer, atMost: request.timeout) {
      await withTaskCancellationHandler {
        await attempt.value
      } onCancel: {
        attempt.cancel()
      }
    }
    alarm.cancel()
    if case .failure(.unknown) = result, isLate.withLock({ $0 }) {
      throw .unknown(reason: "no answer within \(request.timeout)")
    }
    return try result.get()
  }

  private func attempt<Answer: Sendable>(
    _ request: HTTPRequest,
    read: @Sendable (HTTPClientResponse) async throws -> Answer
  ) async -> Result<Answer, HTTPFailure> {
    do {
      let address = try Self.address(of: request)
      let client = proxies.proxy(for: address).flatMap { proxied[$0] } ?? client
      let response = try await client.execute(
        clientRequest(request, to: address),
        timeout: TimeAmount(request.timeout)
      )
      let answer = try await read(response)
      if Task.isCancelled { return .failure(HTTPFailure(CancellationError())) }
      return .success(answer)
    } catch {
      return .failure(HTTPFailure(error))
    }
  }

  /// Where a request goes; whatever cannot be an address is not sent.
  private static func address(of request: HTTPRequest) throws(HTTPFailure) -> HTTPAddress {
    do throws(HTTPAddress.Fault) { return try HTTPAddress(request.url) } catch {
      throw .neverSent(reason: "the address \(error)")
    }
  }

  private func clientRequest(_ request: HTTPRequest, to address: HTTPAddress) -> HTTPClientRequest {
    var sent = HTTPClientRequest(url: address.description)
    sent.method = HTTPMethod(rawValue: request.method)
    sent.headers = request.headers
    if !sent.headers.contains(name: "User-Agent") {
      sent.headers.add(name: "User-Agent", value: userAgent)
    }
    sent.headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
    switch request.body {
    case .nothing: break
    case .json(let bytes):
      // A profile may name JSON of another kind: application/vnd.api+json.
      if !sent.headers.contains(name: "Content-Type") {
        sent.headers.add(name: "Content-Type", value: "application/json")
      }
      sent.body = .bytes(ByteBuffer(bytes: bytes))
    case .bytes(let bytes, let mediaType):
      sent.headers.replaceOrAdd(name: "Content-Type", value: mediaType)
      sent.body = .bytes(ByteBuffer(bytes: bytes))
    case .long(let body):
      if !sent.headers.contains(name: "Content-Type") {
        sent.headers.add(name: "Content-Type", value: "application/json")
      }
      sent.body = .stream(LongBodyBytes(body: body), length: .known(body.size))
    case .form(let form):
      sent.headers.replaceOrAdd(name: "Content-Type", value: form.mediaType)
      sent.body = .stream(form.bytes, length: .known(form.size))
    case .file(let source, let offset, let size, let mediaType):
      sent.headers.replaceOrAdd(name: "Content-Type", value: mediaType)
      sent.body = .stream(
        FileBytes(source: source, offset: offset, size: size),
        length: .known(size)
      )
    }
    return sent
  }
}

/// Runs what a task does between two waits on the thread of an event loop.
///
/// What a connection brings is passed on to the task by no other thread then, which would have to be
/// woken for each piece: of a short request, that took longest.
private final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension HTTPRequest.Body {
  /// Whether it is in memory, so that sending it waits for no disk.
  fileprivate var isAtHand: Bool {
    switch self {
    case .nothing, .json, .bytes: true
    case .long, .file, .form: false
    }
  }
}

extension HTTPRequest {
  /// The same, with a body whose long texts are read while it is sent, where it has any.
  fileprivate func withTexts() throws(HTTPFailure) -> HTTPRequest {
    guard let texts, case .json(let bytes) = body else { return self }
    var request = self
    do throws(LongTextFault) {
      if let body = try texts.body(of: bytes) { request.body = .long(body) }
    } catch {
      throw .neverSent(reason: error.description)
    }
    return request
  }
}

extension HTTPClientResponse {
  /// Whether the body is JSON, and not packed.
  fileprivate var isPlainJSON: Bool {
    let type = (headers.first(name: "Content-Type") ?? "").utf8
    // Bytes are compared: texts would be by their characters, at each place, for each answer.
    let isJSON = type.indices.contains { start in
      type[start...].prefix(4).elementsEqual("json".utf8) { $0 | 0x20 == $1 }
    }
    return isJSON && !headers.contains(name: "Content-Encoding")
  }
}

extension HTTPAnswer {
  init(_ response: HTTPClientResponse, body: [UInt8]) {
    self.init(status: Int(response.status.code), headers: response.headers, body: body)
  }
}

extension TimeAmount {
  /// The same length of time, cut to nanoseconds and to a year.
  fileprivate init(_ duration: Duration) {
    let parts = min(max(duration, .zero), .seconds(31_536_000)).components
    self = .nanoseconds(parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
  }
}
