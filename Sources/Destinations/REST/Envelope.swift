import HTTPTransport
import JSONText
import Profiles
import RequestBodies

/// What an answer says of itself around the rows in it: that it failed, regardless of its status.
///
/// | member of the answer | it failed when the member is |
/// |---|---|
/// | `error`, `errors` | anything but null, false, zero or empty |
/// | `success`, `ok` | false |
struct Envelope: Sendable {
  /// Where the answer has its one row; `nil` for an answer that has many, or none.
  var row: MemberPath?
  var id = MemberPath("id")
  /// Members of the row that are the record's own, should the row be the answer itself.
  var own: Set<String> = []
}

extension Envelope {
  /// The envelope of one row of an entity.
  init(of entity: EntityApi, at row: MemberPath) {
    let isBare = row.names.isEmpty && entity.content.names.isEmpty
    self.init(
      row: row,
      id: entity.id,
      own: isBare ? Set(entity.body.map(\.name)) : []
    )
  }

  /// What went wrong; `nil` for an answer that reports no failure.
  func fault(in answer: JSONView) -> ServerMessage? {
    guard answer.kind == .object else { return nil }
    let hasError = ["error", "errors"].contains { name in
      !own.contains(name) && answer[name].map { !Self.isNothing($0) } ?? false
    }
    let denied = ["success", "ok"].contains { name in
      !own.contains(name) && answer[name]?.boolean == false
    }
    guard hasError || denied else { return nil }
    return ServerMessage(body: answer.value)
  }

  fileprivate func hasRow(_ answer: JSONView) -> Bool {
    row.flatMap { answer.value(at: $0) }?.value(at: id)?.shortText != nil
  }

  /// Whether a value says no: null, false, zero or empty.
  static func isNothing(_ view: JSONView) -> Bool {
    switch view.value {
    case .null: true
    case .boolean(let flag): !flag
    case .number(let number): number.double == 0
    case .string(let text): text.isEmpty
    case .array(let elements): elements.isEmpty
    case .object(let object): object.members.isEmpty
    }
  }
}

extension Exchange {
  /// The same answer, in which a failure that it reports for all its success is taken for one.
  ///
  /// | the answer reports a failure and | meaning |
  /// |---|---|
  /// | has a row with an identity as well | `unknown`: it is at odds with itself |
  /// | says that there is no such thing | `faulty`, as 404 |
  /// | has no row | `faulty` |
  func heeding(_ envelope: Envelope) -> Exchange {
    guard case .done(let body?) = meaning, let status, case let view = body.view,
      let message = envelope.fault(in: view)
    else { return self }
    let code = message.code.map { redaction.printable($0, limit: ServerMessage.longestCode) }
    let words = message.text.isEmpty ? "no reason given" : redaction.printable(message.text)
    let reason = "\(status) with an error in it: \(code.map { "\($0): " } ?? "")\(words)"
    let isAbsence = message.code?.lowercased().filter(\.isLetter).contains("notfound") ?? false
    let failure: Meaning =
      envelope.hasRow(view)
      ? .unknown(reason: reason)
      : .faulty(
        status: isAbsence ? 404 : status,
        code: code,
        reason: reason
      )
    var heeded = self
    heeded.meaning = failure
    return heeded
  }
}
