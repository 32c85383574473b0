/// One record as the destination has it.
package struct RemoteRecord: Hashable, Sendable {
  package let serverID: String
  package let version: String?
  /// The record's own JSON object in canonical form, without the answer's envelope.
  package let body: [UInt8]

  package init(serverID: String, version: String?, body: [UInt8]) {
    self.serverID = serverID
    self.version = version
    self.body = body
  }
}
