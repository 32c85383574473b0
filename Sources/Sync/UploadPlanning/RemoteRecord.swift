/// One record as the destination has it.
package struct RemoteRecord: Hashable, Sendable {
  package let serverID: String
  package let version: String?
  /// The record's own JSON object in canonical form, without the answer's envelope.
  package let body: [UInt8]
  /// Why the account may not read it, where it may not: then its body says nothing.
  package let denial: String?

  package init(serverID: String, version: String?, body: [UInt8], denial: String? = nil) {
    self.serverID = serverID
    self.version = version
    self.body = body
    self.denial = denial
  }
}
