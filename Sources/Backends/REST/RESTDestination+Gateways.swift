import Profiles

// MARK: - What stands before a destination

extension RESTDestination {
  /// Sends a request that makes records of an entity.
  ///
  /// | 503 to records that are looked up when an answer is lost | meaning |
  /// |---|---|
  /// | says why, in a form that interfaces have | `later`: the destination has not carried it out |
  /// | is a page or empty, or says no more than its status | `unknown`, with the pause that it asks for |
  ///
  /// What says nothing may come from a gateway, which answers so as well when it has passed the request
  /// on and lost patience, and may ask to come back all the same: by then the records may be made,
  /// <https://devcenter.heroku.com/articles/request-timeout>. Sent again without a look, they would be
  /// there twice. Where a repeat finds its record by a key or an identity, that cannot be, and where the
  /// profile says what 503 means, that counts.
  func exchange(_ call: Call, making entity: EntityApi) async -> Exchange {
    var exchange = await exchange(call)
    guard case .lookUp = traits.replay[entity.entity], !exchange.saysWhy,
      case .later(let pause, let reason) = exchange.meaning,
      api.means(status: 503, reason: reason) == nil
    else { return exchange }
    exchange.meaning = .unknown(pause: pause, reason: reason)
    return exchange
  }
}

extension HTTPAnswer {
  /// Whether an answer of 503 says why, as an interface does; true of every other answer.
  var saysWhy: Bool {
    guard status == 503 else { return true }
    let message = ServerMessage(body: AnswerBody(body)?.value)
    return [message.code ?? "", message.text].contains { words in
      !["", "serviceunavailable", "servicetemporarilyunavailable"].contains(
        words.lowercased().filter(\.isLetter)
      )
    }
  }
}
