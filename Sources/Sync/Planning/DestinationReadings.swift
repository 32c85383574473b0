package import Records
import StageSupport

/// What the destination holds of one entity after the other, read before it is asked for.
package actor DestinationReadings {
  /// What reading one entity came to, or why it ended.
  package typealias Reading = Result<DestinationReading, any Error>

  private var readings: [EntityName: Reading] = [:]
  private var askers: [EntityName: CheckedContinuation<Reading, Never>] = [:]
  private var isOver = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// Readings of which none has begun.
  package init() {}

  /// Reads all entities, `width` of them at a time; after a failure no more is begun.
  package func readAll(
    _ entities: [EntityName],
    width: Int,
    _ read: @escaping @Sendable (EntityName) async -> Reading
  ) async {
    let read = await sideBySide(
      entities,
      width: width,
      goesOn: { (reading: Reading) in reading.failure == nil },
      { entity in
        let reading = await read(entity)
        await self.put(reading, of: entity)
        return reading
      }
    )
    if let failure = read.lazy.compactMap(\.failure).first {
      // Those that were not begun come to the same.
      for entity in entities where readings[entity] == nil { put(.failure(failure), of: entity) }
    }
    isOver = true
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  private func put(_ reading: Reading, of entity: EntityName) {
    if let asker = askers.removeValue(forKey: entity) { asker.resume(returning: reading) }
    readings[entity] = reading
  }

  /// What was read of an entity that is among those being read, once that is done; asked for once.
  package func reading(of entity: EntityName) async -> Reading {
    if let reading = readings[entity] { return reading }
    return await withCheckedContinuation { askers[entity] = $0 }
  }

  /// Waits until nothing is being read.
  package func wait() async {
    guard !isOver else { return }
    await withCheckedContinuation { waiters.append($0) }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}
