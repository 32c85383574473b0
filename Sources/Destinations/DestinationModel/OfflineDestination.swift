package import Records
package import UploadPlanning

/// A destination that is planned for and never spoken to: it has the traits of the real one, and
/// every call of it is refused.
package struct OfflineDestination: Destination {
  package let traits: DestinationTraits
  private let name: String

  /// - Parameters:
  ///   - base: The real destination; only its traits are taken.
  ///   - account: Who the account is, as far as anybody knows.
  package init(_ base: any Destination, account: String) {
    traits = base.traits
    name = account
  }

  package func account() async throws(DestinationError) -> String { name }

  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    BatchAnswer(whole: .refused(reason: "an offline plan sends no request"))
  }

  package func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    throw refusal
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    throw refusal
  }

  private var refusal: DestinationError {
    .misconfigured(
      reason: "an earlier run has requests without an answer, and only the destination knows it",
      cure: "plan without --offline, or run the upload again first"
    )
  }
}
