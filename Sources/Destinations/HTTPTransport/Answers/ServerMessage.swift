package import JSONText

/// What an answer says went wrong, in whichever of the known shapes, as it came: it may hold a secret, and
/// is shown as ``Redaction/printable(_:limit:)`` gives it.
///
/// | shape | who |
/// |---|---|
/// | `{"error": "NotFound", "message": "…"}` | routes that name the kind of error |
/// | `{"error": {"code": "…", "message": "…"}}` | routes that nest it |
/// | `{"errors": [{"message": "…", "extensions": {"code": "…"}}]}` | Directus, GraphQL |
/// | `{"errors": [{"code": "…", "detail": "…", "source": {"pointer": "/data/attributes/title"}}]}` | JSON:API |
/// | `{"error": {"code": 409, "message": "…", "status": "ABORTED"}}` | Google, <https://google.aip.dev/193> |
/// | `{"error": {"name": "ValidationError", "message": "…", "details": {"errors": [{"path": ["title"], "message": "…"}]}}}` | Strapi |
/// | `{"issue": [{"severity": "error", "code": "required", "diagnostics": "…"}]}` | FHIR |
/// | `[{"error": {…}}]` | the same, to a request with several answers |
/// | `{"error": "conflict", "reason": "…"}` | CouchDB |
/// | `{"error": "…"}` | batches |
/// | `{"code": "…", "message": "…"}` | sign-in |
/// | `{"code": 400, "error_code": "…", "msg": "…"}` | GoTrue |
/// | `{"code": 409, "type": "document_already_exists", "message": "…"}` | Appwrite |
/// | `{"code": "…", "message": "…", "data": {"issues": […]}}` | a schema's faults: the first is reported |
/// | `{"title": "…", "detail": "…"}` | problem details, RFC 9457 |
/// | `{"detail": [{"loc": ["body", "title"], "msg": "…"}]}` | FastAPI |
/// | `{"message": ["…"]}` | NestJS |
/// | `{"__type": "service#Code", "Message": "…"}` | services of AWS |
/// | `{"msg": "…"}`, `{"error_message": "…"}`, `{"errmsg": "…"}` | routes with other names for it |
/// | `{"_error": {"code": 422, "message": "…"}, "_issues": {"title": "…"}}` | Eve |
/// | `{"title": ["…"]}`, with nothing else in it | Rails, Django |
/// | `{"message": "…", "data": {"title": {"code": "…", "message": "…"}}}` | PocketBase |
package struct ServerMessage: Sendable {
  /// A word for programs: `ValidationError`; `nil` when the answer has none.
  package let code: String?
  /// A sentence for people; empty when the answer has none.
  package let text: String

  /// The longest message that is passed on, in characters.
  package static let longestText = 300
  /// Of how many members an answer's words are passed on.
  private static let mostMembers = 3
  /// The longest word for programs that is passed on, in characters.
  package static let longestCode = 60

  /// Reads an answer's body; one that is not JSON says nothing.
  ///
  /// Pages of HTML are not quoted: they are long, and may repeat what was sent.
  package init(body: JSONValue?) {
    guard let body else {
      self.init(code: nil, text: "")
      return
    }
    let issue = body["issue"]?[0].flatMap { $0.object == nil ? nil : $0 }
    let error = body["error"] ?? body["_error"] ?? body[0]?["error"] ?? body["errors"]?[0] ?? issue
    if error?.object != nil {
      // A number of HTTP says no more than the status of the answer.
      let isStatus = error?["code"]?.integer.map { (400..<600).contains($0) } ?? false
      let word =
        error?["code"]?.text == nil ? error?["status"].flatMap { $0.text == nil ? nil : $0 } : nil
      let code =
        word ?? (isStatus ? nil : error?["code"]) ?? error?["type"] ?? error?["extensions"]?["code"]
        ?? error?["name"]
      let details = error.flatMap { Self.details(of: $0) }
      let text = details ?? error.flatMap { Self.located(Self.sentence(in: $0), in: $0) }
      let issues = body["issues"] ?? body["_issues"]
      let words = [text?.shortText, issues.map { Self.ofIssues($0) }].compactMap(\.self)
        .filter { !$0.isEmpty }
      self.init(code: code, text: .string(words.joined(separator: ": ")))
      return
    }
    let message = Self.sentence(in: body) ?? body["error_description"]
    // A number says no more than the status of the answer.
    let type = body["code"].flatMap { $0.text == nil ? body["type"] : nil }
    let word = body["error_code"] ?? type ?? body["code"] ?? Self.type(of: body)
    let code = message == nil ? word : error ?? word ?? body["title"]
    let words = (message ?? error ?? body["title"])?.shortText ?? ""
    let namesMembers = words.isEmpty || body["data"]?.object != nil
    let members = Self.issue(of: body) ?? (namesMembers ? Self.ofMembers(body) : "")
    let all = [words, members].filter { !$0.isEmpty }.joined(separator: ": ")
    self.init(code: code?.shortText, text: all)
  }

  /// The sentence for people in an object, by whichever name.
  private static func sentence(in object: JSONValue) -> JSONValue? {
    [
      "message", "Message", "detail", "msg", "error_message", "errorMessage", "errmsg", "reason",
      "diagnostics",
    ].lazy
      .compactMap { object[$0] }.first ?? object["details"]?["text"]
  }

  /// The name of an error behind the service that it is of: `com.amazonaws.dynamodb.v20120810#Throttling`.
  private static func type(of body: JSONValue) -> JSONValue? {
    guard let text = body["__type"]?.text, let mark = text.lastIndex(of: "#") else { return nil }
    return .string(String(text[text.index(after: mark)...]))
  }

  /// A sentence with the member that it is about before it, where the error names that.
  private static func located(_ sentence: JSONValue?, in error: JSONValue) -> JSONValue? {
    guard let place = (error["source"]?["pointer"] ?? error["source"]?["parameter"])?.shortText,
      place != "/data"
    else { return sentence }
    return .string("\(place): \((sentence ?? error["title"])?.shortText ?? "no reason given")")
  }

  /// The faults of single members that an error lists, each with its place; `nil` where it lists none.
  private static func details(of error: JSONValue) -> JSONValue? {
    let faults = (error["details"]?["errors"]?.array ?? []).prefix(mostMembers)
    let words = faults.compactMap { fault -> String? in
      let place = (fault["path"]?.array ?? []).compactMap(\.shortText).joined(separator: ".")
      guard !place.isEmpty, let text = sentence(in: fault)?.shortText else { return nil }
      return "\(place): \(text)"
    }
    return words.isEmpty ? nil : .string(words.joined(separator: "; "))
  }

  /// What an answer says of single members; empty where it may be a record as well.
  private static func ofMembers(_ body: JSONValue) -> String {
    if let list = body["detail"]?.array ?? body["message"]?.array {
      let words = list.prefix(mostMembers).compactMap { element -> String? in
        let name = element["loc"]?.array?.last?.shortText
        let words = (element["msg"] ?? element["message"] ?? element).shortText
        return words.map { words in name.map { "\($0): \(words)" } ?? words }
      }
      return words.joined(separator: "; ")
    }
    let members = (body["errors"] ?? body["data"] ?? body).object?.members ?? []
    let words = members.compactMap { member -> String? in
      // A record may have a message as well, and no code beside it.
      guard let code = member.value["code"] else {
        return member.value[0]?.shortText.map { "\(member.name): \($0)" }
      }
      let words = sentence(in: member.value)?.shortText
      guard let code = code.shortText else { return words.map { "\(member.name): \($0)" } }
      if let words { return "\(member.name): \(words) (\(code))" }
      // A record may have a code as well.
      let isWord = code.utf8.allSatisfy {
        $0 == UInt8(ascii: "_") || Character(Unicode.Scalar($0)).isLetter
      }
      return isWord ? "\(member.name): \(code)" : nil
    }
    guard words.count == members.count else { return "" }
    return words.prefix(mostMembers).joined(separator: "; ")
  }

  /// What is wrong with each member, by its name.
  private static func ofIssues(_ issues: JSONValue) -> String {
    (issues.object?.members ?? []).prefix(mostMembers).compactMap { member in
      (member.value.shortText ?? member.value[0]?.shortText).map { "\(member.name): \($0)" }
    }.joined(separator: "; ")
  }

  /// The first fault that a schema found in a request, and where.
  private static func issue(of body: JSONValue) -> String? {
    guard let issue = body["data"]?["issues"]?[0], let text = issue["message"]?.text else {
      return nil
    }
    let place = (issue["path"]?.array ?? []).compactMap(\.shortText).joined(separator: ".")
    return place.isEmpty ? text : "\(place): \(text)"
  }

  private init(code: JSONValue?, text: JSONValue?) {
    self.init(code: code.flatMap(\.shortText), text: text.flatMap(\.shortText) ?? "")
  }

  private init(code: String?, text: String) {
    self.code = code
    self.text = text
  }

  /// Whether it says that the request, or one before it, is still under way or should come again.
  var asksToRepeat: Bool {
    let code = (code ?? text).lowercased().filter(\.isLetter)
    let words = text.lowercased()
    return code == "retry"
      || ["inprogress", "inflight", "pleaseretry", "tryagain"].contains { code.hasSuffix($0) }
      || ["in progress", "being processed", "please retry", "try again"].contains {
        words.contains($0)
      }
  }

  /// The text cut to a length, with everything escaped that could steer a terminal.
  package static func printable(_ text: String, limit: Int = longestText) -> String {
    var printed = ""
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { return printed + "…" }
      count += 1
      if isSteering(scalar) {
        printed += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        printed.unicodeScalars.append(scalar)
      }
    }
    return printed
  }

  /// Controls, line and paragraph separators, bidirectional marks, and invisible tags.
  private static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF,
      0xE0000...0xE007F:
      true
    default: false
    }
  }
}

extension JSONValue {
  /// A text or a number as text; `nil` for anything else and for empty text.
  ///
  /// Identities and versions are of either kind.
  package var shortText: String? {
    switch self {
    case .string(let text): text.isEmpty ? nil : text
    case .number(let number): number.literal
    case .null, .boolean, .array, .object: nil
    }
  }
}
