package import Profiles

extension EntityApi {
  /// What a destination did that gave a record the identity `found`, or one that it does not state,
  /// although its request chose another; and what the profile has to say then.
  package func displacement(of chosen: String, to found: String?) -> String {
    let place = found.map { "as “\($0)”" } ?? "under an identity that its answer does not name,"
    return
      "the destination keeps the record \(place) and not as “\(chosen)”, the identity that the "
      + "request chose. It chooses identities itself, and “replay: id” makes another record with each repeat. "
      + "Write “replay: look-up” for \(entity) in the profile, or “replay: key” if the destination takes keys, "
      + "and go on with `--accept-change profile`; `ferry rollback` removes the record"
  }
}
