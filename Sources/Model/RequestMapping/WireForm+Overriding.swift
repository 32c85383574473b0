package import JSONText

extension WireForm {
  /// The same record, with other values in some of its members once it is there.
  package func overridden(by sent: JSONObject) -> WireForm {
    WireForm(
      create: create,
      complete: complete,
      update: update.overridden(by: sent),
      whole: whole.overridden(by: sent),
      open: open,
      digest: digest,
      createDigest: createDigest
    )
  }
}

extension [WireMember] {
  /// The members, with other values in some of them.
  func overridden(by sent: JSONObject) -> [WireMember] {
    map { member in
      guard let value = sent[member.name] else { return member }
      return WireMember(name: member.name, value: value.canonicalBytes)
    }
  }
}
