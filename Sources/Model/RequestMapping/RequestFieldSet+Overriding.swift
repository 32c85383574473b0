package import JSONText

extension RequestFieldSet {
  /// The same record, with other values in some of its members once it is there.
  package func overridden(by sent: JSONObject) -> RequestFieldSet {
    RequestFieldSet(
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

extension [RequestField] {
  /// The members, with other values in some of them.
  func overridden(by sent: JSONObject) -> [RequestField] {
    map { member in
      guard let value = sent[member.name] else { return member }
      return RequestField(name: member.name, value: value.canonicalBytes)
    }
  }
}
