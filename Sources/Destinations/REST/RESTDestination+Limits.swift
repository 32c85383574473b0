import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import Synchronization

/// The limits that a destination stated, each asked for once.
final class ServerLimits: Sendable {
  private let limits = Mutex<[RequestBatch.ServerLimit: Int]>([:])

  subscript(place: RequestBatch.ServerLimit) -> Int? {
    get { limits.withLock { $0[place] } }
    set { limits.withLock { $0[place] = newValue } }
  }
}

// MARK: - How many requests go in one

extension RESTDestination {
  /// The most requests of one: as the profile says, and no more than the destination allows.
  ///
  /// What it cannot be asked now, or does not state, leaves the profile's limit.
  func mostRequests(of batch: RequestBatch) async -> Int {
    let own = max(batch.limit, 1)
    guard let place = batch.serverLimit else { return own }
    if let stated = serverLimits[place] { return min(own, stated) }
    guard case .success(let stated?) = await serverLimit(at: place) else { return own }
    serverLimits[place] = stated
    return min(own, stated)
  }

  /// What the destination reports its limit; `nil` where the answer has no such number.
  private func serverLimit(
    at place: RequestBatch.ServerLimit
  ) async -> Result<Int?, DestinationError> {
    let exchange = await exchange(Call(route: place.route)).heeding(Envelope())
    guard case .done(let answer) = exchange.meaning else {
      return .failure(exchange.error(request: place.route, origin: origin))
    }
    let stated = answer?.value.value(at: place.member)?.integer
    return .success(stated.flatMap { $0 > 0 ? Int(min($0, 1_000_000)) : nil })
  }

  /// Looks at the limits that the destination gives, each once.
  func limitChecks() async -> [DestinationCheck] {
    var checks: [DestinationCheck] = []
    var seen: Set<RequestBatch.ServerLimit> = []
    for entity in api.entities {
      guard let batch = entity.create?.requestBatch, let place = batch.serverLimit,
        seen.insert(place).inserted
      else { continue }
      checks.append(await check(batch, place))
    }
    return checks
  }

  private func check(
    _ batch: RequestBatch,
    _ place: RequestBatch.ServerLimit
  ) async -> DestinationCheck {
    let name = "batch limit"
    switch await serverLimit(at: place) {
    case .failure(let error): return DestinationCheck(name, error)
    case .success(nil):
      return DestinationCheck(
        name,
        .unknown,
        "\(place.route) has no number at “\(place.member)”; the profile's \(batch.limit) counts"
      )
    case .success(let stated?):
      let most = min(stated, max(batch.limit, 1))
      return DestinationCheck(
        name,
        .fits,
        "the destination takes \(stated) requests in one, and the profile says \(batch.limit): "
          + "no more than \(most) go together"
      )
    }
  }
}
