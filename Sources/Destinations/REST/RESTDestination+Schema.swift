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
    for name in schema.credentials ?? api.neededCredentials
    where !session.source.holds(name) { return .withoutCredential(name) }
    var call = Call(route: schema.route)
    call.document = schema.form.mediaType
    if let question = schema.form.question { call.body = .json(question.canonicalBytes) }
    var exchange: Exchange
    if let names = schema.credentials {
      exchange = try await ask(call, schema, names)
    } else {
      exchange = await self.exchange(call)
    }
    guard let document = exchange.document else {
      // What is asked for is not there, or not for this account.
      switch exchange.meaning {
      case .faulty(_, _, let reason), .refused(.forbidden(let reason)),
        .refused(.unexpected(_, let reason)):
        return .withheld(reason: reason)
      default: throw exchange.error(request: schema.route, origin: origin)
      }
    }
    do throws(SchemaFault) { try SchemaRoute.AnswerForm.expectReadable(document) } catch {
      return .withheld(reason: error.reason)
    }
    if let answer = AnswerBody(document) {
      exchange.meaning = .done(answer)
      exchange = exchange.heeding(Envelope())
      if case .faulty(_, _, let reason) = exchange.meaning { return .withheld(reason: reason) }
    }
    do throws(SchemaFault) { return .described(try schema.form.schema(of: document)) } catch {
      return .withheld(reason: exchange.redaction.printable(error.reason))
    }
  }

  /// Asks under the credential that may, and not as the account.
  private func ask(
    _ call: Call,
    _ schema: SchemaRoute,
    _ names: [String]
  ) async throws(DestinationError) -> Exchange {
    let secrets = try await session.source.credentials(named: names)
    var redaction = Redaction()
    for secret in secrets.values { redaction.add(secret) }
    let values = secrets.mapValues(\.exposed)
    var fields: [SecretField] = []
    for header in schema.headers { fields.append(try Session.field(header, values)) }
    return await http.send(call, adding: fields, redaction: redaction)
  }

  /// Compares what the profile sends with the fields that the destination says it has.
  package func schemaChecks() async -> [DestinationCheck] {
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
      case .withheld(let reason):
        return [
          DestinationCheck(
            name,
            .unknown,
            "the fields that records have at the destination were not looked at: \(route.route) "
              + "gives nothing to read: \(reason)",
            cure: "compare them with the destination's by hand, or let the account read them"
          )
        ]
      case .described(let schema):
        return api.entities.map { Self.check(name, $0, schema, api.clientID) }
      }
    } catch {
      return [DestinationCheck(name, error)]
    }
  }

  private static func check(
    _ name: String,
    _ entity: EntityApi,
    _ schema: RemoteSchema,
    _ form: Api.ClientID
  ) -> DestinationCheck {
    let called = entity.schemaName ?? entity.entity.text
    guard let collection = schema.collection(named: called) else {
      return DestinationCheck(
        name,
        of: entity.entity,
        .unfit,
        "the destination shows no collection “\(called)”",
        cure: "make it there, let the account see it, or name another as “collection”"
      )
    }
    let lack = missingCheck(name, entity, collection)
    if let lack, lack.verdict == .unfit { return lack }
    let identity = identityCheck(name, entity, collection, form)
    if let identity, identity.verdict == .unfit { return identity }
    return lack ?? unfilledCheck(name, entity, collection) ?? identity
      ?? DestinationCheck(
        name,
        of: entity.entity,
        .fits,
        "“\(called)” has each field that is sent"
      )
  }

  /// That the destination has no field of a name that is sent, or names none; `nil` where it has all.
  private static func missingCheck(
    _ name: String,
    _ entity: EntityApi,
    _ collection: RemoteSchema.Collection
  ) -> DestinationCheck? {
    let missing = Set(entity.body.map(\.name)).filter { collection.field(named: $0) == nil }
      .sorted()
    guard !missing.isEmpty else { return nil }
    let (names, isOne) = (missing.joined(separator: ", "), missing.count == 1)
    guard collection.isOpen else {
      return DestinationCheck(
        name,
        of: entity.entity,
        .unfit,
        "“\(collection.name)” has no field \(names)",
        cure: "make \(isOne ? "it" : "them") there, give another name in “body”, or list "
          + "what is not to be sent under “unmapped”"
      )
    }
    return DestinationCheck(
      name,
      of: entity.entity,
      .unknown,
      "“\(collection.name)” takes other fields than it names, such as \(names)",
      cure: "look whether \(isOne ? "the name is" : "the names are") meant"
    )
  }

  /// That the destination requires what is not sent; `nil` where nothing is known of that.
  private static func unfilledCheck(
    _ name: String,
    _ entity: EntityApi,
    _ collection: RemoteSchema.Collection
  ) -> DestinationCheck? {
    let sent = Set(entity.body.map(\.name))
    let unfilled = collection.fields.filter {
      $0.isRequired && !$0.isFilled && !sent.contains($0.name)
    }
    guard !unfilled.isEmpty else { return nil }
    let names = unfilled.map(\.name).joined(separator: ", ")
    return DestinationCheck(
      name,
      of: entity.entity,
      .unknown,
      "“\(collection.name)” requires \(names), which the profile does not send",
      cure: "send it in “body”, or have the destination fill it"
    )
  }

  /// That the destination refuses the identities that records are made with, or that only these say whether it does;
  /// `nil` where nothing is known against them.
  private static func identityCheck(
    _ name: String,
    _ entity: EntityApi,
    _ collection: RemoteSchema.Collection,
    _ form: Api.ClientID
  ) -> DestinationCheck? {
    guard let rule = collection.identityRule(of: entity) else { return nil }
    let (field, own) = (
      entity.id.names.last ?? "", "“replay: look-up” with a “natural-key”"
    )
    let what = "“\(collection.name)” takes as “\(field)” "
    let taken = FieldRule.takenForm(by: [rule])
    if let (sample, words) = rule.refusal(of: form) {
      let other =
        taken.map { "write “\($0.setting)” under “api” in the profile, or " } ?? ""
      return DestinationCheck(
        name,
        of: entity.entity,
        .unfit,
        what + ServerMessage.printable(words) + ", and Ferry makes IDs like \(sample)",
        cure: other + "let the field take such IDs, or the destination make its own: \(own)"
      )
    }
    if rule.form == .answered {
      return DestinationCheck(
        name,
        of: entity.entity,
        .unknown,
        "“\(collection.name)” names “\(field)” in its answers alone, and the profile sends it",
        cure: "look whether a new record may have it; if the destination makes its own IDs: \(own)"
      )
    }
    // A limit of the length alone, such as 255, says little against keys that are not known.
    guard form.samples.isEmpty, rule.form != .text || rule.pattern != nil, let words = rule.words
    else { return nil }
    return DestinationCheck(
      name,
      of: entity.entity,
      rule.form == .own ? .unfit : .unknown,
      what + ServerMessage.printable(words) + ", and the profile sends the store's keys",
      cure: taken.map { "write “\($0.setting)” under “api” unless all keys are of this form" }
        ?? "have the destination make its own IDs: \(own)"
    )
  }
}
