package import Checkpoint
package import DestinationModel
package import ExportPackage
import Files
import Records
package import UploadPlanning

/// What carrying a plan out is expected to take: requests, bytes and time, without any retries.
package struct PlanForecast: Hashable, Sendable {
  /// Requests that change something.
  package private(set) var sends = 0
  /// Requests that change something where the destination refuses batches, so that each record goes by
  /// itself; as many as ``sends`` where none goes in a batch that may be refused.
  package private(set) var sendsAlone = 0
  /// Requests that only look, before something is changed.
  package private(set) var reads = 0
  /// The bytes of the records in the package; what is sent of them may be less.
  package private(set) var bytes: Int64 = 0
  package private(set) var files = 0
  package private(set) var fileBytes: Int64 = 0
  /// The most requests a second, where they are limited.
  package let rate: Double?
  /// How long it takes; `nil` where that is unknown.
  package private(set) var seconds: Double?

  /// How long it takes where the destination refuses batches; `nil` where that is unknown.
  package private(set) var secondsAlone: Double?

  package var requests: Int { sends + reads }
  package var requestsAlone: Int { sendsAlone + reads }
  /// Whether it depends on the destination how many requests there are.
  package var mayGoAlone: Bool { sendsAlone > sends }

  /// What is to be expected of carrying out what is left of a run.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - checkpoint: What knows its operations.
  ///   - package: The package that it sends.
  ///   - traits: What the destination can do.
  ///   - policy: How the run would be gone through.
  ///   - rate: The most requests a second, where they are limited.
  ///   - answerSeconds: How long the destination took to answer so far.
  /// - Throws: An error when the checkpoint or the package cannot be read.
  package init(
    of run: RunRecord,
    in checkpoint: CheckpointFile,
    _ package: () throws -> PackageReader,
    to traits: DestinationTraits,
    by policy: EnginePolicy,
    rate: Double?,
    answerSeconds: Double?
  ) throws {
    self.rate = rate
    let weights = try checkpoint.weights(of: run)
    for weight in weights where policy.phases.indices.contains(weight.phase) {
      add(weight, to: traits, at: policy.phases[weight.phase].batchLimit)
    }
    if files > 0 { weigh(try Self.fileSizes(of: run, in: checkpoint, try package())) }
    setTime(answerSeconds: answerSeconds, concurrency: policy.concurrency)
  }
}

extension PlanForecast {
  fileprivate mutating func add(
    _ weight: OperationWeight,
    to traits: DestinationTraits,
    at batchLimit: Int
  ) {
    let batches = (weight.count + batchLimit - 1) / max(1, batchLimit)
    switch weight.action {
    case .upload, .unupload:
      let count = weight.count * (weight.action == .upload ? traits.requestsOfFile : 1)
      files += weight.count
      sends += count
      sendsAlone += count
      return
    case .create:
      add(weight, traits.sendsTogether(.create, of: weight.entity) ? batches : nil, traits)
    case .complete, .update, .restore:
      add(weight, traits.sendsTogether(.update, of: weight.entity) ? batches : nil, traits)
    case .delete, .uncreate, .discard:
      add(weight, traits.sendsTogether(.delete, of: weight.entity) ? batches : nil, traits)
    }
    if weight.action != .delete { bytes += weight.bytes }
    if weight.action.needsReading {
      reads += traits.readsTogether(weight.entity) ? batches : weight.count
    }
  }

  /// Counts the requests that change these records, in so many batches where they go together.
  private mutating func add(
    _ weight: OperationWeight,
    _ batches: Int?,
    _ traits: DestinationTraits
  ) {
    sends += batches ?? weight.count
    sendsAlone +=
      traits.mayRefuseBatches.contains(weight.entity) ? weight.count : batches ?? weight.count
  }

  /// The sizes of the media files that a run sends, added up.
  private static func fileSizes(
    of run: RunRecord,
    in checkpoint: CheckpointFile,
    _ package: PackageReader
  ) throws -> Int64 {
    var sum: Int64 = 0
    var after: Int64 = 0
    while true {
      let place = after
      let page = try checkpoint.settled(of: run, after: place, limit: 1_000)
      guard let last = page.last else { return sum }
      after = last.operation
      for entry in page where entry.action == Operation.Action.upload.rawValue {
        // The digest comes first in the key of any file.
        guard let digest = Digest(hexadecimal: String(entry.record.key.prefix(64))),
          let file = package.media(digest)
        else { continue }
        sum += try file.open().size()
      }
    }
  }

  fileprivate mutating func weigh(_ sizes: Int64) { fileBytes = sizes }

  /// At the rate that is allowed, or as fast as the destination answers: whichever is slower.
  fileprivate mutating func setTime(answerSeconds: Double?, concurrency: Int) {
    func time(_ requests: Int) -> Double? {
      let paced = rate.map { Double(requests) / $0 }
      let answered = answerSeconds.map { Double(requests) * $0 / Double(max(1, concurrency)) }
      return [paced, answered].compactMap(\.self).max()
    }
    seconds = time(requests)
    secondsAlone = time(requestsAlone)
  }
}
