import HTTPTypes
import Hummingbird
import NIOCore

/// What a route knows besides the request: the connection, which a fault may close.
struct RouteContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

/// Says in JSON what the router says about a path or method that is not served.
struct UnknownRouteMiddleware: RouterMiddleware {
  func handle(
    _ request: Request,
    context: RouteContext,
    next: @concurrent (Request, RouteContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      let shape = ErrorShape(path: request.uri.path)
      return Answer.refusal(.notFound("No such route"), in: shape).response
    }
  }
}
