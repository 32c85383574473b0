import HTTPTypes
import JSONText

/// Why a request of CloudKit Web Services, or one record of it, is not done.
///
/// The names and their statuses are those of Apple's reference:
/// <https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/ErrorCodes.html>.
///
struct CloudRefusal: Error {
  let status: HTTPResponse.Status
  let code: String
  let reason: String
  /// The seconds after which it may be tried again; never where trying again is in vain.
  var retryAfter: Int?
  /// Where a person signs in.
  var redirectURL: String?

  init(_ status: HTTPResponse.Status, _ code: String, _ reason: String) {
    self.status = status
    self.code = code
    self.reason = reason
  }

  static func badRequest(_ reason: String) -> CloudRefusal {
    CloudRefusal(.badRequest, "BAD_REQUEST", reason)
  }

  static func notFound(_ reason: String) -> CloudRefusal {
    CloudRefusal(.notFound, "NOT_FOUND", reason)
  }

  static let zoneNotFound = CloudRefusal(.notFound, "ZONE_NOT_FOUND", "Zone does not exist")

  static func unauthenticated(_ reason: String) -> CloudRefusal {
    var refusal = CloudRefusal(.misdirectedRequest, "AUTHENTICATION_REQUIRED", reason)
    refusal.redirectURL = "https://idmsa.apple.com/appleauth/auth/signin"
    return refusal
  }

  /// The error dictionary, of the whole request or of one record.
  func dictionary(about name: String? = nil) -> JSONValue {
    var body: JSONObject = [
      "serverErrorCode": .string(code), "reason": .string(reason),
      "uuid": .string(Identifiers.rowID(at: Instant.now.milliseconds)),
    ]
    body["recordName"] = name.map { .string($0) }
    body["retryAfter"] = retryAfter.map { .whole($0) }
    body["redirectURL"] = redirectURL.map { .string($0) }
    return .object(body)
  }

  var answer: Answer { .json(dictionary(), status: status) }

  /// What a fault plan's status is called here.
  static func code(of status: Int) -> String {
    switch status {
    case 401: "AUTHENTICATION_FAILED"
    case 403: "ACCESS_DENIED"
    case 404: "NOT_FOUND"
    case 409: "CONFLICT"
    case 413: "QUOTA_EXCEEDED"
    case 421: "AUTHENTICATION_REQUIRED"
    case 429: "THROTTLED"
    case 503: "TRY_AGAIN_LATER"
    case 500...: "INTERNAL_ERROR"
    default: "BAD_REQUEST"
    }
  }
}
