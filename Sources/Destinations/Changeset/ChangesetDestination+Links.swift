import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import REST
import UploadPlanning

// MARK: - Fields that no push takes

extension ChangesetDestination {
  /// What requests of their own came to, for the rows whose request did not succeed.
  struct LinkAnswers {
    var singles: [Int64: BatchAnswer] = [:]
    var outcomes: [Int64: ItemOutcome] = [:]
  }

  /// Sends the fields that no push takes, row by row, once the rows are there.
  ///
  /// After a request that the destination did not answer, the rest are left for later.
  func sendLinks(of push: ChangesetPush) async -> LinkAnswers {
    var answers = LinkAnswers()
    guard let links = push.table.rows.links else { return answers }
    var reason: String?
    for row in push.rows where !row.links.isEmpty {
      let number = row.item.operation
      if let reason {
        // A row that was pushed before is no longer as its operation expects it.
        answers.outcomes[number] =
          row.isPushed ? .unknown(reason: reason) : .deferred(reason: reason)
        continue
      }
      let body = JSONValue.object(row.links).canonicalBytes
      let call = Call(route: links.route, values: ["id": row.id], body: .json(body))
      let exchange = await rest.exchange(call)
      switch exchange.meaning {
      case .done: continue
      // What is read back says what became of a row that is not there.
      case .faulty(status: 404, _, _): continue
      case .faulty, .unfit: break
      case .refused, .neverSent, .later, .unknown: reason = "\(links.route) was not answered"
      }
      answers.singles[number] = BatchAnswer.answer(exchange, for: [row.item], route: links.route)
    }
    return answers
  }
}

extension ChangesetTable {
  /// The fields of a record that no push takes, as their own request has them.
  ///
  /// Nothing is said there as a list of nothing: `null` would leave what is there.
  func links(in members: JSONObject) -> JSONObject {
    var request = JSONObject()
    for member in members.members {
      guard let name = rows.links?.names[member.name] else { continue }
      request[name] = member.value.isNull ? [] : member.value
    }
    return request
  }

  /// A row as a push takes it.
  func pushed(_ row: JSONObject) -> JSONObject {
    var pushed = row
    for name in rows.links?.names.keys.sorted() ?? [] { pushed[name] = nil as JSONValue? }
    return pushed
  }
}
