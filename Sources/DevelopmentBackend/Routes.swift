import HTTPTypes
import Hummingbird
import JSONText
import Logging

/// Everything the server answers to, over one storage.
struct Routes: Sendable {
  let storage: Storage
  let observation: Observation
  let configuration: DevelopmentBackend.Configuration
  let media: MediaStore

  /// What a route does with a call, inside its transaction.
  typealias Work = @Sendable (Call, Transaction) throws -> Answer

  /// Who may use a route.
  enum Access: Sendable {
    case anybody
    case signedIn
  }

  /// The router with all routes.
  func router() -> Router<RouteContext> {
    let router = Router(context: RouteContext.self, options: [.autoGenerateHeadEndpoints])
    router.add(middleware: UnknownRouteMiddleware())
    addAuthentication(to: router)
    addHeroes(to: router)
    addVisualProfiles(to: router)
    addStories(to: router)
    addCustomEvents(to: router)
    addBatches(to: router)
    addCollections(to: router)
    addCloudKit(to: router)
    addSync(to: router)
    addTastings(to: router)
    addLists(to: router)
    if configuration.uploadTickets { addFiles(to: router) }
    addDevelopment(to: router)
    return router
  }

  /// Adds a route whose whole work is one transaction.
  func add(
    _ method: HTTPRequest.Method,
    _ path: RouterPath,
    to router: Router<RouteContext>,
    for access: Access = .signedIn,
    work: @escaping Work
  ) {
    router.on(path, method: method) { request, context in
      let pattern = context.endpointPath ?? request.uri.path
      return try await respond(to: request, context, pattern: pattern) { call in
        try await perform(call, for: access, work)
      }
    }
  }

  /// Does a call's work in one transaction, after looking who sends it.
  func perform(_ call: Call, for access: Access, _ work: @escaping Work) async throws -> Answer {
    let limits = configuration.limits
    return try await storage.perform { transaction in
      if let token = call.token { try transaction.signIn(token: token) }
      if access == .signedIn {
        _ = try transaction.signedInAccount()
        try checkTerms(call, transaction)
        if call.method == .get || call.method == .head {
          try transaction.use("reads", limit: limits.reads, window: limits.window)
        }
      }
      return try work(call, transaction)
    }
  }

  /// Answers a request, unless the fault plan has other ideas.
  func respond(
    to request: Request,
    _ context: RouteContext,
    pattern: String,
    work: @escaping @Sendable (Call) async throws -> Answer
  ) async throws -> Response {
    let shape = ErrorShape(path: request.uri.path)
    let call: Call
    do {
      call = try await Call(request, context)
    } catch let refusal as Refusal {
      return Answer.refusal(refusal, in: shape).response
    }
    guard !call.path.hasPrefix("/__dev") else {
      return await answer(to: call, in: shape, work: work).response
    }
    if call.isChange { observation.note(Observation.Change(call)) }
    let verdict = observation.received(
      method: call.method.rawValue,
      path: call.path,
      pattern: pattern
    )
    defer { observation.departure() }
    let fate = configuration.judge?(ReceivedRequest(call)) ?? .planned
    return try await Misbehaviour(verdict: verdict, shape: shape, channel: context.channel)
      .respond(fate) {
        let answer = await answer(to: call, in: shape, work: work)
        count(call, answer)
        return answer
      }
  }

  private func answer(
    to call: Call,
    in shape: ErrorShape,
    work: @Sendable (Call) async throws -> Answer
  ) async -> Answer {
    do {
      return try await work(call)
    } catch let refusal as Refusal {
      return .refusal(refusal, in: shape)
    } catch {
      configuration.log.error("\(call.method) \(call.path): \(error)")
      return .refusal(.internalError("\(error)"), in: shape)
    }
  }

  private func count(_ call: Call, _ answer: Answer) {
    guard call.isChange, answer.status.kind == .successful, !Storage.isPretending else { return }
    observation.countWrite()
  }
}
