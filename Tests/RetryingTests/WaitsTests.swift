import Retrying
import Synchronization
import Testing

/// What a command is known to wait for.
struct WaitsTests {
  /// A time that only passes by waits.
  private final class Time: Sendable {
    private let passed = Mutex(Duration.zero)

    var clock: RunClock {
      RunClock(
        seconds: { 1_800_000_000 },
        elapsed: { self.passed.withLock { $0 } },
        pause: { time in self.passed.withLock { $0 += time } }
      )
    }
  }

  @Test func `a wait is known from its begin to its end`() async {
    let time = Time()
    let waits = Waits(clock: time.clock)
    await time.clock.sleep(for: .seconds(5))
    await Waits.$ofCommand.withValue(waits) {
      await Waits.during(.answer, atMost: .seconds(30)) {
        #expect(
          waits.current == [.init(reason: .answer, began: .seconds(5), longest: .seconds(30))]
        )
        await time.clock.sleep(for: .seconds(7))
      }
    }
    #expect(waits.current.isEmpty)
  }

  @Test func `a wait that throws has ended`() async {
    struct Stop: Error {}
    let waits = Waits(clock: Time().clock)
    await Waits.$ofCommand.withValue(waits) {
      await #expect(throws: Stop.self) {
        try await Waits.during(.retry, atMost: .seconds(1)) { throw Stop() }
      }
    }
    #expect(waits.current.isEmpty)
  }

  @Test func `the first wait to begin comes first`() async {
    let waits = Waits(clock: Time().clock)
    await Waits.$ofCommand.withValue(waits) {
      await Waits.during(.pause, atMost: .seconds(60)) {
        await Waits.during(.turn, atMost: .seconds(1)) {
          #expect(waits.current.map(\.reason) == [.pause, .turn])
        }
        #expect(waits.current.map(\.reason) == [.pause])
      }
    }
  }

  @Test func `nothing is noted where no notices are printed`() async {
    let value = await Waits.during(.answer, atMost: .seconds(1)) { Waits.ofCommand == nil }
    #expect(value)
  }
}
