import RequestBodies

// What a profile says of an app's own state, held against the rest.

extension ProfileCheck {
  /// Whose rows are sent can only be reported where the destination says who is signed in.
  func checkOwners(_ api: Api) {
    for entity in api.entities { checkOwner(of: entity, api) }
    guard !api.saysAccount else { return }
    for entity in entities where entity.owner != nil {
      fault(
        "/entities/\(entity.name)/owner",
        "the destination does not say who is signed in",
        cure: "add “account” to “api”"
      )
    }
  }

  /// A field that Ferry fills with the account is in no body, and takes an account that the destination names.
  private func checkOwner(of entity: EntityApi, _ api: Api) {
    guard let name = entity.owner else { return }
    let place = "/api/entities/\(entity.entity)"
    if !api.saysAccount {
      fault(
        "\(place)/owner",
        "the destination does not say whose account “\(name)” would be filled with",
        cure: "add “account” to “api”: { request: …, member: … }, or { constant: … }"
      )
    }
    if entity.body.count(where: { $0.name == name }) > 1 {
      fault(
        "\(place)/body/\(name)",
        "“\(name)” is filled with the account",
        cure: "remove it here, or remove “owner”"
      )
    }
  }
}

extension EntityProfile {
  /// The members that only steer the plan: they need no place at the destination.
  package var bookkeeping: Set<String> {
    Set((sync?.members ?? []) + [owner?.member].compactMap(\.self))
  }
}
