// What a profile says of an app's own state, held against the rest.

extension ProfileCheck {
  /// Whose rows are sent can only be reported where the destination says who is signed in.
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
  package var bookkeeping: Set<String> {
    Set((sync?.members ?? []) + [owner?.member].compactMap(\.self))
  }
}
