package import DestinationModel
import HTTPTransport
import JSONText
import Profiles

// MARK: - The routes that media files need

extension RESTDestination {
  /// Asks for a ticket without saying what for, which a route that is there refuses, and a missing one
  /// answers as every missing route.
  ///
  /// | the answer to `{}` | verdict |
  /// |---|---|
  /// | 404, 405, 410, 501, a page of HTML | unfit: there is no such route |
  /// | a success, or any other refusal of the request | fits |
  /// | no right, no account | unfit |
  /// | 5xx without a reason, an unusable answer | unknown |
  /// | no connection, or a request to wait | unreached |
  package func fileChecks() async -> [DestinationCheck] {
    guard api.sendsFiles, case .tickets(let tickets) = api.media?.way else { return [] }
    let ticket = tickets.ticket
    guard !ticket.body.isEmpty else {
      return [
        check(
          .unknown,
          "\(ticket.route) was not asked, as its profile describes no body that it could refuse"
        )
      ]
    }
    let call = Call(route: ticket.route, body: .json(JSONValue.object([:]).canonicalBytes))
    let exchange = await exchange(call)
    if let fault = ticket.absence(exchange.meaning) {
      return [DestinationCheck(Self.checkName, fault)]
    }
    switch exchange.meaning {
    case .done, .faulty: return [check(.fits, "\(ticket.route) takes requests for files")]
    case .unknown(_, let reason), .unfit(let reason):
      return [check(.unknown, "\(ticket.route) could not be looked at: \(reason)")]
    case .refused, .neverSent, .later:
      let error = exchange.error(request: ticket.route, origin: origin)
      return [DestinationCheck(Self.checkName, error)]
    }
  }

  private static let checkName = "files"

  private func check(_ verdict: DestinationCheck.Verdict, _ detail: String) -> DestinationCheck {
    DestinationCheck(Self.checkName, verdict, detail)
  }
}

extension TicketApi.Ticket {
  /// That the destination has no such route, as its answer shows; `nil` where it has one, or does not say.
  ///
  /// The route names no record: a 404 can only be about the route itself.
  func absence(_ meaning: Meaning) -> DestinationError? {
    switch meaning {
    case .faulty(status: 404, _, let reason), .faulty(status: 405, _, let reason),
      .faulty(status: 410, _, let reason), .refused(.unexpected(_, let reason)):
      .elsewhere(
        reason: "files are sent by tickets, and the destination has no \(route): \(reason)",
        cure: "correct “request” of api.media.ticket, or write “enabled: false” in api.media and "
          + "send the files later"
      )
    case .done, .unfit, .faulty, .refused, .neverSent, .later, .unknown: nil
    }
  }
}
