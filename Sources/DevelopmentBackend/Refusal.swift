import HTTPTypes
import JSONText

/// Why a request is not done, before it is known in which shape that is said.
struct Refusal: Error {
  let status: HTTPResponse.Status
  let code: String
  let message: String
  var details: JSONValue?
  /// What lies in the way, for a condition that does not hold.
  var current: JSONObject?
  /// How long to wait, in seconds, where the shape has space for it.
  var retryAfter: Int?
  /// Whether it comes from the database, whose transaction does nothing more and is rolled back.
  var abortsTransaction = false

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
    self.status = status
    self.code = code
    self.message = message
  }

  static let unauthorized = Refusal(.unauthorized, "Unauthorized", "Authentication required")

  static func validation(_ message: String) -> Refusal {
    Refusal(.badRequest, "ValidationError", message)
  }

  /// What the database of the server that this one represents refuses.
  static func database(_ message: String) -> Refusal {
    var refusal = validation("Invalid invocation: \(message)")
    refusal.abortsTransaction = true
    return refusal
  }

  static func notFound(_ message: String) -> Refusal {
    Refusal(.notFound, "NotFound", message)
  }

  static func internalError(_ message: String) -> Refusal {
    Refusal(.internalServerError, "InternalServerError", message)
  }
}

/// The shapes in which this server, like the one it represents, reports an error.
enum ErrorShape: Sendable {
  /// `{error: "NotFound", message, details?}`: the routes of version 1.
  case named
  /// `{error: {code, message, details?}}`: upload tickets and collections.
  case nested
  /// `{error: "…"}`: the batches.
  case plain
  /// `{code, message}`: signing in.
  case coded
  /// `{defined, code, status, message, data?}`: tastings.
  case defined
  /// `{serverErrorCode, reason, retryAfter?}`: CloudKit.
  case cloud

  func body(of refusal: Refusal) -> JSONValue {
    switch self {
    case .named:
      var body: JSONObject = ["error": .string(refusal.code), "message": .string(refusal.message)]
      body["details"] = refusal.details
      return .object(body)
    case .nested:
      var error: JSONObject = ["code": .string(refusal.code), "message": .string(refusal.message)]
      error["details"] = refusal.details
      var body: JSONObject = ["error": .object(error)]
      body["current"] = refusal.current.map { .object($0) }
      return .object(body)
    case .plain:
      return ["error": .string(refusal.code == "Unauthorized" ? refusal.code : refusal.message)]
    case .coded:
      return ["code": .string(refusal.code), "message": .string(refusal.message)]
    case .defined:
      var body: JSONObject = [
        "defined": false, "code": .string(refusal.code), "status": .whole(refusal.status.code),
        "message": .string(refusal.message),
      ]
      body["data"] = refusal.details
      return .object(body)
    case .cloud:
      var cloud = CloudRefusal(
        refusal.status,
        CloudRefusal.code(of: refusal.status.code),
        refusal.message
      )
      cloud.retryAfter = refusal.retryAfter
      return cloud.dictionary()
    }
  }

  /// The shape that the route at a path uses.
  init(path: String) {
    self =
      if path.hasPrefix("/api/batch") {
        .plain
      } else if ["/api/auth/login", "/api/auth/refresh", "/api/auth/me"].contains(path) {
        .named
      } else if path.hasPrefix("/api/auth") {
        .coded
      } else if path.hasPrefix("/v1/") {
        .defined
      } else if ["/api/v1", "/api/sync", "/api/notes", "/api/images"].contains(
        where: { path.hasPrefix($0) }
      ) {
        .named
      } else if path.hasPrefix("/database/") {
        .cloud
      } else {
        .nested
      }
  }
}
