import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import Synchronization

/// The limits that a destination told, each asked for once.
final class ToldLimits: Sendable {
  private let limits = Mutex<[RequestBatch.ToldLimit: Int]>([:])

  subscript(place: RequestBatch.ToldLimit) -> Int? {
    get { limits.withLock { $0[place] } }
    set { limits.withLock { $0[place] = newValue } }
  }
}

// MARK: - How many requests go in one

extension RESTDestination {
  /// The most requests of one: as the profile says, and no more than the destination tells.
  ///
  /// What it cannot be asked now, or does not tell, leaves the profile's limit.
  func mostRequests(of batch: RequestBatch) async -> Int {
    let own = max(batch.limit, 1)
    guard let place = batch.toldLimit else { return own }
    if let told = toldLimits[place] { return min(own, told) }
    guard case .success(let told?) = await toldLimit(at: place) else { return own }
    toldLimits[place] = told
    return min(own, told)
  }

  /// What the destination tells of its limit; `nil` where the answer has no such number.
  private func toldLimit(
    at place: RequestBatch.ToldLimit
  ) async -> Result<Int?, DestinationError> {
    let exchange = await exchange(Call(route: place.route)).heeding(Envelope())
    guard case .done(let answer) = exchange.meaning else {
      return .failure(exchange.error(request: place.route, origin: origin))
    }
    let told = answer?.value.value(at: place.member)?.integer
    return .success(told.flatMap { $0 > 0 ? Int(min($0, 1_000_000)) : nil })
  }

  /// Looks at the limits that the destination tells, each once.
  func limitChecks() async -> [DestinationCheck] {
    var checks: [DestinationCheck] = []
    var seen: Set<RequestBatch.ToldLimit> = []
    for entity in api.entities {
      guard case .requests(_, let batch) = entity.create, let place = batch.toldLimit,
        seen.insert(place).inserted
      else { continue }
      checks.append(await check(batch, place))
    }
    return checks
  }

  private func check(
    _ batch: RequestBatch,
    _ place: RequestBatch.ToldLimit
  ) async -> DestinationCheck {
    let name = "batch limit"
    switch await toldLimit(at: place) {
    case .failure(let error): return DestinationCheck(name, error)
    case .success(nil):
      return DestinationCheck(
        name,
        .unknown,
        "\(place.route) has no number at “\(place.member)”; the profile's \(batch.limit) counts"
      )
    case .success(let told?):
      let most = min(told, max(batch.limit, 1))
      return DestinationCheck(
        name,
        .fits,
        "the destination takes \(told) requests in one, and the profile says \(batch.limit): "
          + "no more than \(most) go together"
      )
    }
  }
}
