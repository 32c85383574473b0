import Reporting
import Retrying
import Synchronization
import Testing

/// What a command says while it waits, by a clock that passes each wait at once.
struct WaitNoticesTests {
  /// A time that only passes by waits, and what was said when.
  private final class Record: Sendable {
    private let state = Mutex((now: Duration.zero, said: [(at: Duration, words: String)]()))

    var now: Duration { state.withLock { $0.now } }
    var said: [String] { state.withLock { $0.said.map(\.words) } }
    var moments: [Duration] { state.withLock { $0.said.map(\.at) } }
    var lastSaid: Duration { state.withLock { $0.said.last?.at ?? .zero } }

    func pass(_ time: Duration) { state.withLock { $0.now += time } }
    func say(_ words: String) { state.withLock { $0.said.append(($0.now, words)) } }

    var clock: RunClock {
      RunClock(
        seconds: { 1_800_000_000 },
        elapsed: { self.now },
        pause: { time in
          self.pass(time)
          await Task.yield()
        }
      )
    }
  }

  private func notices(of waits: Waits, _ record: Record) -> WaitNotices {
    WaitNotices(of: waits, lastSaid: { record.lastSaid }, say: { record.say($0) })
  }

  @Test func `a silence of ten seconds is broken with the reason and the longest time left`()
    async
  {
    let record = Record()
    let waits = Waits(clock: record.clock)
    let notices = notices(of: waits, record)
    await Waits.$ofCommand.withValue(waits) {
      await Waits.during(.answer, atMost: .seconds(30)) {
        #expect(notices.words(at: .seconds(9)) == nil)
        #expect(
          notices.words(at: .seconds(10))
            == "still waiting for an answer of the destination: at most 20 s more"
        )
      }
    }
    #expect(notices.words(at: .seconds(60)) == nil)
  }

  @Test func `a wait that nothing bounds is reported without a time`() async {
    let record = Record()
    let waits = Waits(clock: record.clock)
    let notices = notices(of: waits, record)
    await Waits.$ofCommand.withValue(waits) {
      await Waits.during(.command, atMost: nil) {
        #expect(notices.words(at: .seconds(10)) == "still waiting for a credential command")
      }
    }
  }

  @Test func `work without a wait is not reported as one`() {
    let record = Record()
    let notices = notices(of: Waits(clock: record.clock), record)
    #expect(notices.words(at: .seconds(3_600)) == nil)
  }

  @Test func `a wait of seven minutes is never silent for longer than ten seconds`() async {
    let record = Record()
    let waits = Waits(clock: record.clock)
    let notices = notices(of: waits, record)
    await Waits.$ofCommand.withValue(waits) {
      await Waits.during(.pause, atMost: .seconds(420)) {
        let announcer = Task { await notices.run() }
        while record.now < .seconds(420) { await Task.yield() }
        announcer.cancel()
        await announcer.value
      }
    }
    #expect(record.moments.prefix(41) == (1...41).map { Duration.seconds($0 * 10) }[...])
    #expect(
      record.said.first
        == "still waiting for the destination, which asked for a pause: at most 7 min more"
    )
  }
}
