import Planning
import Records
import StageSupport
import Synchronization
import Testing

/// What a plan reads at the destination ahead of itself.
struct DestinationReadingsTests {
  @Test func `each reading is delivered to its requester, early or late`() async throws {
    let readings = DestinationReadings()
    async let late = readings.reading(of: "Story")
    await readings.readAll(["Hero", "Story"], width: 2) { entity in
      .success(DestinationReading(isWhole: true, hasUntracked: false, mark: entity.text))
    }
    #expect(try await readings.reading(of: "Hero").get().mark == "Hero")
    #expect(try await late.get().mark == "Story")
    await readings.wait()
  }

  @Test func `after a failure no record is read, and a further read fails`() async {
    let readings = DestinationReadings()
    let begun = Mutex(0)
    await readings.readAll(["Hero", "Story", "Event"], width: 1) { _ in
      begun.withLock { $0 += 1 }
      return .failure(MigrationError.interrupted)
    }
    #expect(begun.withLock { $0 } == 1)
    for entity in ["Hero", "Story", "Event"] as [EntityName] {
      await #expect(throws: MigrationError.self) { try await readings.reading(of: entity).get() }
    }
  }
}
