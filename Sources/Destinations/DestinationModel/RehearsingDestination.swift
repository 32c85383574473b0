package import UploadPlanning

/// A destination for rehearsals: it is read as it is, and nothing is ever sent to it.
package struct RehearsingDestination<Base: Destination>: WrappedDestination {
  package let base: Base

  package init(_ base: Base) {
    self.base = base
  }

  /// Refuses; a rehearsal that comes here has a fault, and must not change anything by it.
  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    BatchAnswer(whole: .refused(reason: "this is a rehearsal, and nothing is sent"))
  }

  package func around<Value, Failure: Error>(
    _ kind: RequestMeter.Kind,
    _ call: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await call()
  }
}
