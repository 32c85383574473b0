package import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import Records
import RequestBodies

// MARK: - What the destination says of its collections

extension RESTDestination {
  package func remoteSchema() async throws(DestinationError) -> RemoteSchemaAnswer {
    guard let schema = api.schemaRoute else { return .undescribed }
    var exchange: Exchange
    if let names = schema.credentials {
      for name in names where !session.source.holds(name) { return .withoutCredential(name) }
      exchange = try await ask(schema, names)
    } else {
      exchange = await self.exchange(Call(route: schema.route))
    }
    exchange = exchange.heeding(Envelope())
    guard let answer = exchange.answer else {
      throw exchange.error(request: schema.route, origin: origin)
    }
    guard let found = schema.form.schema(in: answer.value) else {
      throw .unexpected(
        request: "\(schema.route)",
        reason: "the answer is not of the form \(schema.form)"
      )
    }
    return .described(found)
  }

  /// Asks under the credential that may, and not as the account.
  private func ask(
    _ schema: SchemaRoute,
    _ names: [String]
  ) async throws(DestinationError) -> Exchange {
    let secrets = try await session.source.credentials(named: names)
    var redaction = Redaction()
    for secret in secrets.values { redaction.add(secret) }
    let values = secrets.mapValues(\.exposed)
    var fields: [SecretField] = []
    for header in schema.headers { fields.append(try Session.field(header, values)) }
    return await http.send(Call(route: schema.route), adding: fields, redaction: redaction)
  }

  /// Compares what the profile sends with the fields that the destination says it has.
  func schemaChecks() async -> [DestinationCheck] {
    guard let route = api.schemaRoute else { return [] }
    let name = "fields"
    do throws(DestinationError) {
      switch try await remoteSchema() {
      case .undescribed: return []
      case .withoutCredential(let credential):
        return [
          DestinationCheck(
            name,
            .unknown,
            "the fields that records have at the destination were not looked at, which takes the "
              + "credential “\(credential)”",
            cure: "give it with --credential \(credential)=file:PATH, env:VAR or command:CMD"
          )
        ]
      case .described(let schema):
        return api.entities.map { Self.check(name, $0, schema, route.route) }
      }
    } catch {
      return [DestinationCheck(name, error)]
    }
  }

  private static func check(
    _ name: String,
    _ entity: EntityApi,
    _ schema: RemoteSchema,
    _ route: Route
  ) -> DestinationCheck {
    let called = entity.schemaName ?? entity.entity.text
    guard let collection = schema.collection(named: called) else {
      return DestinationCheck(
        name,
        of: entity.entity,
        .unfit,
        "the destination has no collection “\(called)”",
        cure: "make it there, or name another as “collection” in the profile"
      )
    }
    let sent = Set(entity.body.map(\.name))
    let missing = sent.filter { collection.field(named: $0) == nil }.sorted()
    guard missing.isEmpty else {
      return DestinationCheck(
        name,
        of: entity.entity,
        .unfit,
        "“\(called)” has no field \(missing.joined(separator: ", "))",
        cure:
          "make \(missing.count == 1 ? "it" : "them") there, give another name in “body”, or list "
          + "what is not to be sent under “unmapped”"
      )
    }
    let unfilled = collection.fields.filter {
      $0.isRequired && !$0.isFilled && !sent.contains($0.name)
    }
    guard unfilled.isEmpty else {
      return DestinationCheck(
        name,
        of: entity.entity,
        .unknown,
        "“\(called)” requires \(unfilled.map(\.name).joined(separator: ", ")), which the profile does not send",
        cure: "send it in “body”, or have the destination fill it"
      )
    }
    return DestinationCheck(
      name,
      of: entity.entity,
      .fits,
      "“\(called)” has each field that is sent"
    )
  }
}
