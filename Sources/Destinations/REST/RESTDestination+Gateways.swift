import DestinationModel
package import HTTPTransport
package import Profiles

// MARK: - What sits in front of a destination

extension RESTDestination {
  /// Sends a request that makes records of an entity.
  package func exchange(_ call: Call, making entity: EntityApi) async -> Exchange {
    weighed(await exchange(call), making: entity)
  }

  /// The same answer, in which a 503 to what makes records says no more than anybody knows.
  ///
  /// | a repeat | 503 | meaning |
  /// |---|---|---|
  /// | makes a second record | any | `unknown`, with the pause that it asks for |
  /// | meets the record under its identity | says why | `later`: the destination has not carried it out |
  /// | meets the record under its identity | says nothing | `unknown`, with the pause that it asks for |
  /// | is identified by a key | any | `later` |
  ///
  /// A gateway answers so as well when it has passed the request on and lost patience, and may ask to come
  /// back all the same, <https://devcenter.heroku.com/articles/request-timeout>. So does a destination
  /// that has lost its database amid the work, and that in words of its own and with a time to come back,
  /// <https://github.com/PostgREST/postgrest/pull/1916>. By then the records may be made. Sent again
  /// without a look, they would be there twice; found under their identities by a request that no one
  /// doubts, they would pass for another user's. Where the profile says what 503 means, that counts.
  func weighed(_ exchange: Exchange, making entity: EntityApi) -> Exchange {
    let isInDoubt =
      switch traits.replay[entity.entity] {
      case .lookUp: isPutOff(exchange)
      case .id: isUnexplained(exchange)
      case .key, nil: false
      }
    guard isInDoubt else { return exchange }
    var weighed = exchange
    weighed.meaning = exchange.meaning.inDoubt
    return weighed
  }

  /// Whether a request was answered by a 503 that says nothing, neither itself nor by the profile.
  func isUnexplained(_ exchange: Exchange) -> Bool {
    isPutOff(exchange) && !exchange.saysWhy
  }

  /// Whether a request was answered by 503, and the profile does not say what that means.
  private func isPutOff(_ exchange: Exchange) -> Bool {
    guard exchange.status == 503, case .later(_, let reason) = exchange.meaning else {
      return false
    }
    return api.means(status: 503, reason: reason) == nil
  }
}
