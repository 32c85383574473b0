import DestinationModel
import HTTPTransport
import JSONText
import LongTexts
import NIOHTTP1
import Profiles
import TextCodecs

extension Call {
  /// A request whose body is an array, or an object that has it under a name; empty for none.
  init(route: Route, array: [JSONValue], in name: String) {
    var body = JSONValue.array(array)
    if !name.isEmpty {
      var object = JSONObject()
      object[name] = body
      body = .object(object)
    }
    self.init(route: route, body: .json(body.canonicalBytes))
  }

  /// The same with the body and the headers that its route has; `nil` where one of their names has no value, or
  /// one that no header can have.
  func prepared(_ texts: LongTexts?) -> Call? {
    guard let content = route.content else { return self }
    var call = self
    guard call.fill(content.body, of: content) else { return nil }
    if content.isForm {
      guard let form = call.body.form(texts) else { return nil }
      call.body = form
    }
    for header in content.headers {
      guard let text = header.filled(values),
        text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else { return nil }
      call.headers.replaceOrAdd(name: header.name, value: text)
    }
    return call
  }

  /// Puts what the request would hold into the places that a body has for it; a query parameter that the body
  /// names is not in the address.
  private mutating func fill(_ template: JSONTemplate?, of content: RequestContent) -> Bool {
    guard let template else { return true }
    var values: [String: JSONValue] = [:]
    for (name, value) in self.values {
      let number = content.counts.contains(name) ? Int64(value) : nil
      values[name] = number.map { .number(JSONNumber($0)) } ?? .string(value)
    }
    if case .json(let bytes) = body { values["body"] = JSONValue(bytes: bytes) }
    let named = content.parameters.intersection(template.names)
    for (name, value) in query where named.contains(name) {
      if content.lists.contains(name) {
        values[name] = .array((values[name]?.array ?? []) + [.string(value)])
        continue
      }
      let number = content.counts.contains(name) ? Int64(value) : nil
      values[name] = number.map { .number(JSONNumber($0)) } ?? .string(value)
    }
    query.removeAll { named.contains($0.name) }
    let absent = named.filter { values[$0] == nil }
    guard let filled = template.leavingOut(absent).filled(values) else { return false }
    body = .json(filled.canonicalBytes)
    return true
  }
}

extension HTTPRequest.Body {
  /// The members of an object as a form; `nil` where one of them is a list or an object.
  ///
  /// A form holds its long texts.
  fileprivate func form(_ texts: LongTexts?) -> HTTPRequest.Body? {
    guard case .json(let bytes) = self, let whole = try? texts?.whole(bytes) ?? bytes,
      let object = JSONObject(parsing: whole)
    else { return nil }
    var pairs: [String] = []
    for member in object.members where !member.value.isNull {
      guard let text = member.value.formText else { return nil }
      pairs.append("\(PercentCoding.encoded(member.name))=\(PercentCoding.encoded(text))")
    }
    return .bytes(
      Array(pairs.joined(separator: "&").utf8),
      mediaType: "application/x-www-form-urlencoded"
    )
  }
}

extension JSONValue {
  /// A text, the digits of a number, true or false; `nil` for anything else.
  var formText: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.literal
    case .boolean(let flag): "\(flag)"
    case .null, .array, .object: nil
    }
  }

  fileprivate init?(bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self),
      case .success(let value) = Result(catching: { () throws(JSONError) in
        try JSONValue(parsing: text)
      })
    else { return nil }
    self = value
  }
}
