import Records

// What a profile says of an app's own state, held against the rest.

extension ProfileCheck {
  func checkSync(_ entity: EntityProfile, _ place: String) {
    for member in entity.sync?.members ?? [] where entity.leavesOut(member) {
      fault(
        "\(place)/sync",
        "“\(member)” is no member of the record",
        cure: "add it to “fields”, or carry it"
      )
    }
    if let member = entity.owner?.member, entity.leavesOut(member) {
      fault(
        "\(place)/owner",
        "“\(member)” is no member of the record",
        cure: "add it to “fields”, or carry it"
      )
    }
  }

  /// Whose rows are sent can only be told where the destination says who is signed in.
  func checkOwners(_ api: Api) {
    guard api.account == nil, !api.kind.isCloudKit else { return }
    for entity in entities where entity.owner != nil {
      fault(
        "/entities/\(entity.name)/owner",
        "the destination does not say who is signed in",
        cure: "add “account” to “api”"
      )
    }
  }
}

extension EntityProfile {
  /// The members that only steer the plan: they need no place at the destination.
  var bookkeeping: Set<String> {
    Set((sync?.members ?? []) + [owner?.member].compactMap(\.self))
  }

  /// Whether the profile itself says that the records have no such member.
  func leavesOut(_ member: String) -> Bool {
    if fields.contains(where: { $0.member == member }) { return false }
    return carry == .listed || omitted.contains(member)
  }
}
