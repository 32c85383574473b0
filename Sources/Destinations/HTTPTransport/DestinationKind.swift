package import DestinationModel
package import Profiles

/// A kind of destination: what is made of a profile and an address.
///
/// `DestinationKinds` lists every kind, and is where a new one is added.
package protocol DestinationKind: Destination {
  /// What a profile says of it.
  static var kind: any ApiKind.Type { get }

  /// Whether an address is of this kind whatever the profile says.
  static func takes(_ address: String) -> Bool

  /// Whether it is reached over the network, and so through a proxy where there is one.
  static var isRemote: Bool { get }

  /// Whether what is sent to an address can be read on the way to another machine.
  static func isInTheOpen(_ address: String) -> Bool

  /// Opens the destination.
  ///
  /// - Throws: `DestinationError.misconfigured(reason:cure:)` for an address or a profile that
  ///   cannot be used.
  init(_ place: DestinationPlace) throws(DestinationError)
}

extension DestinationKind {
  package static func takes(_ address: String) -> Bool { false }

  package static var isRemote: Bool { true }

  package static func isInTheOpen(_ address: String) -> Bool { Origin.isInTheOpen(address) }
}

/// Where a destination is, and what it is opened with.
package struct DestinationPlace: Sendable {
  /// What the profile says.
  package let api: Api
  /// The destination's address, from the profile or the command line.
  package let address: String
  package let credentials: any CredentialSource
  /// Stays the caller's to shut down.
  package let transport: HTTPTransport

  package init(
    api: Api,
    address: String,
    credentials: any CredentialSource,
    transport: HTTPTransport
  ) {
    self.api = api
    self.address = address
    self.credentials = credentials
    self.transport = transport
  }
}
