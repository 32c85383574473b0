import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import UploadPlanning

/// An answer of CloudKit, before anybody looks at records.
enum CloudReply: Sendable {
  /// The answer has what was asked for, record by record; some may have failed.
  case answered(JSONValue)
  /// The service says why the whole request failed.
  case failed(CloudFailure)
  /// No answer, or one that is not the service's own.
  case other(Meaning)

  /// The request that makes, changes and removes records.
  static let modifying = "records/modify"

  /// A failed atomic batch has an error's status and answers for every record all the same.
  init(_ answer: HTTPAnswer, to request: String, redaction: Redaction, now: Double) {
    let body = AnswerBody(answer.body)?.value
    if let body, body["records"]?.array != nil {
      self = .answered(body)
    } else if let body, let failure = CloudFailure(body, answer.status, redaction: redaction) {
      self = .failed(failure)
    } else {
      let meaning = Meaning(of: answer, to: request, redaction: redaction, now: now)
      if case .done(let body?) = meaning {
        self = .answered(body.value)
      } else {
        // What is not in the service's words may have been passed on to it before it was put off.
        let isInDoubt = request == Self.modifying && !answer.saysWhy
        self = .other(isInDoubt ? meaning.inDoubt : meaning)
      }
    }
  }
}

/// Why CloudKit did not do a request, or one record of it.
///
/// | code | for a record |
/// |---|---|
/// | EXISTS; CONFLICT of a create | it is there already |
/// | CONFLICT | another device changed it |
/// | NOT_FOUND, UNKNOWN_ITEM of a change | it is not there |
/// | ATOMIC_ERROR; any code with `retryAfter` | not now |
/// | THROTTLED, TRY_AGAIN_LATER and their like without it | the record is refused; where it is the whole request, the run ends |
/// | INTERNAL_ERROR, UNKNOWN_ERROR and their like | no one knows |
/// | ACCESS_DENIED | the record is refused; of many in a row, or of the whole request, the account |
/// | AUTHENTICATION_…, QUOTA_EXCEEDED | the account is refused |
/// | ZONE_NOT_FOUND | the zone comes first |
/// | any other | the record is refused |
///
/// What comes without `retryAfter` is not to be asked again, says the service's reference. Two are asked
/// again all the same: the neighbours of a record that failed, which were refused for its sake, and a
/// failure of the service's own, after which it is unknown whether the record is there: asked for it under
/// its own name once more, the service says.
struct CloudFailure: Sendable, Hashable {
  let code: String
  let reason: String
  let retryAfter: Duration?
  /// The status of the answer, where the whole request failed.
  private(set) var status: Int?

  init?(_ body: JSONValue, _ status: Int? = nil, redaction: Redaction) {
    guard let code = body["serverErrorCode"]?.text else { return nil }
    self.code = redaction.printable(code, limit: ServerMessage.longestCode)
    reason = redaction.printable(body["reason"]?.text ?? "")
    self.status = status
    // A year is as good as for ever.
    retryAfter = body["retryAfter"]?.double.map { .seconds(min(max($0, 0), 31_536_000)) }
  }

  /// What the failure says about a record, or about all of them.
  enum Verdict {
    case outcome(ItemOutcome)
    case zone
    case refused
  }

  func verdict(on verb: OutgoingBatch.Verb) -> Verdict {
    switch code {
    case "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED", "NOT_AUTHENTICATED", "SIGN_IN_FAILED",
      "ACCESS_DENIED", "QUOTA_EXCEEDED":
      return .refused
    case "ZONE_NOT_FOUND", "USER_DELETED_ZONE": return .zone
    case "EXISTS": return .outcome(verb == .create ? .exists : .conflicted(reason: sentence))
    case "CONFLICT":
      return .outcome(verb == .create ? .exists : .conflicted(reason: sentence))
    case Self.neighbour: return .outcome(.deferred(reason: sentence))
    case _ where retryAfter != nil: return .outcome(.deferred(reason: sentence))
    case _ where namesNoTime && status != nil: return .outcome(.deferred(reason: sentence))
    case _ where namesNoTime:
      return .outcome(
        .rejected(code: "cloudkit.\(code)", reason: "\(sentence), with no time to ask again")
      )
    case "NOT_FOUND", "UNKNOWN_ITEM":
      if verb == .update || verb == .delete, status == nil { return .outcome(.missing) }
      return .outcome(.rejected(code: "cloudkit.\(code)", reason: sentence))
    case "INTERNAL_ERROR", "UNKNOWN_ERROR", "NETWORK_ERROR", "UNEXPECTED_SERVER_RESPONSE":
      return .outcome(.unknown(reason: sentence))
    default: return .outcome(.rejected(code: "cloudkit.\(code)", reason: sentence))
    }
  }

  private static let neighbour = "ATOMIC_ERROR"

  /// Whether the service wants to be left alone, and names no time at which to come back.
  private var namesNoTime: Bool {
    retryAfter == nil && ["THROTTLED", "TRY_AGAIN_LATER", "SERVICE_UNAVAILABLE"].contains(code)
  }

  /// The same, for a request that was about this one record.
  var ofRequest: CloudFailure {
    var failure = self
    failure.status = status ?? 200
    return failure
  }

  /// How long a failure of the whole request asks not to be asked again.
  var pause: Duration? { namesNoTime ? BatchAnswer.unstatedPause : retryAfter }

  /// Whether another receipt for its file may be what a refused record lacks.
  var mayLieInReceipt: Bool { code != "VALIDATING_REFERENCE_ERROR" && !namesNoTime }

  var sentence: String { reason.isEmpty ? code : "\(code): \(reason)" }

  /// Whether the account may not do this: to a single record, where it is said of one.
  var isDenied: Bool { code == "ACCESS_DENIED" }

  /// Whether the service, asked for the user, has none to state for what opens the database.
  var namesNoUser: Bool {
    let codes = [
      "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED", "NOT_AUTHENTICATED", "BAD_REQUEST",
    ]
    return isDenied || isMissing || codes.contains(code)
  }

  /// What a record comes to that alone may not be changed.
  var ofRecordAlone: ItemOutcome { .rejected(code: "cloudkit.\(code)", reason: sentence) }

  /// Whether the route itself may not be there.
  var isRouteUnknown: Bool { isMissing || status == 404 || code == "BAD_REQUEST" }

  var isMissing: Bool { code == "NOT_FOUND" || code == "UNKNOWN_ITEM" }
  var isZoneMissing: Bool { code == "ZONE_NOT_FOUND" || code == "USER_DELETED_ZONE" }
  var isTypeUnknown: Bool { reason.lowercased().contains("did not find record type") }

  /// Whether a type lacks the index by which all of its records are found.
  var isIndexMissing: Bool { reason.lowercased().contains("not marked queryable") }

  /// What a person does about a missing index.
  static let indexCure = "give the type the index “recordName, queryable” in the console"

  /// Whether a sync token is not one that changes can be read from any more, or not in this zone: what it
  /// was good for has to be read from the first change on.
  var isTokenExpired: Bool {
    let reason = reason.lowercased()
    return code.contains("TOKEN_EXPIRED") || Self.tokenRefusals.contains { reason.contains($0) }
  }

  /// The service's words for such tokens, in lower case; it says BAD_REQUEST of some.
  private static let tokenRefusals = [
    "token has expired", "unknown sync continuation type", "invalid continuation format",
    "client knowledge differs from server knowledge",
  ]

  /// Why this gives nothing to read.
  func error(to request: String, api: CloudKitApi) -> DestinationError {
    switch code {
    case "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED", "NOT_AUTHENTICATED", "SIGN_IN_FAILED":
      return .unauthorized(reason: "\(sentence); \(cure(api))")
    case "ACCESS_DENIED": return .forbidden(reason: sentence)
    case "QUOTA_EXCEEDED": return .quota(reason: sentence)
    case "ZONE_NOT_FOUND", "USER_DELETED_ZONE":
      return .misconfigured(
        reason: "the zone \(api.zone) is not there",
        cure: "set “create-zone: true” in the profile, or make it"
      )
    case _ where namesNoTime:
      return .busy(retryAfter: pause, reason: "\(sentence), with no time to ask again")
    default:
      guard case .outcome(let outcome) = verdict(on: .create) else { break }
      switch outcome {
      case .deferred: return .busy(retryAfter: retryAfter, reason: sentence)
      case .unknown:
        return .unreachable(origin: api.container, reason: sentence, isAnswered: true)
      default: break
      }
    }
    return .unexpected(request: request, reason: sentence)
  }

  /// What a person does who is not let in.
  private func cure(_ api: CloudKitApi) -> String {
    switch api.database {
    case .private where code == "AUTHENTICATION_FAILED":
      "check the credential “api-token”: it is good for one environment, and opens nothing from here "
        + "where the console allows it to certain domains alone; if it is right, sign in again"
    case .private:
      "a web token is good for one request: sign in again, write the new one into the file of "
        + "the credential “web-token”, and run the same command again"
    case .public: "check the key's identifier and the key itself, and this machine's clock"
    }
  }
}

extension Exchange {
  /// Why this gives nothing to read, for a request that is no route of a profile.
  func error(named name: String, origin: Origin) -> DestinationError {
    error(request: Route(method: .post, template: name), origin: origin)
  }
}
