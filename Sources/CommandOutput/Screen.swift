import Foundation
package import JSONText
package import Reporting
import Retrying
package import StageSupport
import Synchronization

/// Where a command prints: results on standard output, everything meant for people on standard
/// error, progress there too.
///
/// Whatever is printed for people is escaped here, so that no name of a store or a file steers a terminal.
package final class Screen: Sendable {
  package enum Format: String, Sendable, CaseIterable {
    case text, json, ndjson
    /// A model as a diagram; only where a command draws one.
    case mermaid
  }
  package enum Progress: String, Sendable, CaseIterable { case auto, plain, none }
  package enum Colours: String, Sendable, CaseIterable { case auto, always, never }

  package let format: Format
  package let isQuiet: Bool
  /// What is kept for the reports at the end.
  package let recorder: ReportRecorder
  /// Where the log is written to, where one is wanted.
  package let log: RunLog?
  /// How commands to type next are spelled.
  private let spelling: CommandSpelling
  private let isLive: Bool
  private let isColoured: Bool
  private let showsProgress: Bool
  private let line = Mutex(LineState())
  /// When something was printed last.
  private let lastPrinted = Mutex(RunClock.system.now())

  private struct LineState {
    var isOpen = false
    var lastPercent = -1
    var lastWritten = ContinuousClock.now - .seconds(60)
    var pace = ProgressPace()
    var order = StageOrder([])
    /// How many bytes were sent so far.
    var sentBytes: @Sendable () -> Int64 = { 0 }
  }

  package init(
    format: Format,
    progress: Progress,
    isQuiet: Bool,
    isReported: Bool,
    colours: Colours = .auto,
    log: RunLog? = nil,
    spelling: CommandSpelling = .plain
  ) {
    self.log = log
    self.spelling = spelling
    recorder = ReportRecorder(isWanted: isReported)
    self.format = format
    self.isQuiet = isQuiet
    let isTerminal = isatty(STDERR_FILENO) == 1
    isLive = isTerminal && progress == .auto
    let environment = ProcessInfo.processInfo.environment
    let isPlain = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
    isColoured = colours == .always || colours == .auto && isTerminal && !isPlain
    showsProgress = !isQuiet && progress != .none
  }

  /// A line for a person.
  package func say(_ text: String) {
    guard !isQuiet else { return }
    write("\(spelling.spelled(text).plainLines)\n")
  }

  /// A line for a person that is said even when quiet: what went wrong.
  package func warn(_ text: String) { write("\(spelling.spelled(text).plainLines)\n") }

  /// What went wrong, and what it came to: the words that a person looks for.
  package func alarm(_ text: String) {
    write("\(coloured(spelling.spelled(text).plainLines, .red))\n")
  }

  /// The last line: how it ended.
  package func end(_ text: String, isGood: Bool) {
    guard !isQuiet else { return }
    write("\(coloured(text.plainLines, isGood ? .green : .red))\n")
  }

  private enum Colour: Int { case red = 31, green = 32 }

  private func coloured(_ text: String, _ colour: Colour) -> String {
    isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Has progress say how many bytes were sent.
  package func watch(_ sentBytes: @escaping @Sendable () -> Int64) {
    line.withLock { $0.sentBytes = sentBytes }
  }

  /// Has progress say the place of each stage among these.
  package func expect(_ stages: [ProgressEvent.Stage]) {
    line.withLock { $0.order = StageOrder(stages) }
  }

  /// Why a run stopped before its end, and what a person can do about it.
  package func stopped(_ reason: String, cure: String) {
    let spelled = spelling.spelled("cure: \(cure)").dropFirst("cure: ".count)
    recorder.stopped(reason, cure: String(spelled))
    warn("ferry: stopped: \(reason)".plainForTerminal)
    warn("  cure: \(cure)")
  }

  /// The next command to type.
  package func suggest(_ command: String) {
    let line = spelling.spelled("next: \(command)")
    recorder.suggest(String(line.dropFirst("next: ".count)))
    say(line.plainForTerminal)
  }

  /// The next commands to type, one after the other.
  package func suggest(_ commands: [String]) {
    guard let first = commands.first else { return }
    suggest(first)
    for command in commands.dropFirst() { say("then: \(command)".plainForTerminal) }
  }

  /// A result in text form; nothing when another form was asked for.
  package func result(_ lines: [String]) {
    guard format == .text else { return }
    closeLine()
    let spelled = lines.map { line in
      let start = line.trimmingCharacters(in: .whitespaces)
      return ["cure: ", "repair: "].contains(where: start.hasPrefix) ? spelling.spelled(line) : line
    }
    output(spelled.map(\.plainForTerminal).joined(separator: "\n"))
  }

  /// A result as JSON, which the reports have in any case; nothing when text was asked for.
  package func result(_ value: JSONValue) {
    recorder.add(value)
    log?.result(value)
    passing(value)
  }

  /// A part of a result as JSON, one of any number; the reports do not keep it.
  package func passing(_ value: JSONValue) {
    switch format {
    case .text, .mermaid: return
    case .json: output(value.prettyText.escapedForDisplay)
    case .ndjson: output(value.canonicalText.escapedForDisplay)
    }
  }

  /// A result that is one line of JSON in whatever form was asked for.
  package func line(_ value: JSONValue) { output(value.canonicalText.escapedForDisplay) }

  /// Lines of JSON that are the result in whatever form was asked for.
  ///
  /// They are escaped already where a terminal may show them.
  package func lines(_ bytes: [UInt8]) {
    notePrinted()
    ResultOutput.put(bytes)
  }

  /// A diagram; nothing when another form was asked for.
  package func diagram(_ text: String) {
    guard format == .mermaid else { return }
    output(text.plainLines)
  }

  /// Does `body`, and says every ten seconds what is waited for, where nothing else is said.
  package func announcingWaits<Value>(_ body: () async -> Value) async -> Value {
    guard showsProgress else { return await body() }
    let waits = Waits(clock: .system)
    let notices = WaitNotices(
      of: waits,
      lastSaid: { self.lastPrinted.withLock { $0 } },
      say: { self.show(.note($0)) }
    )
    let announcer = Task { await notices.run() }
    defer { announcer.cancel() }
    return await Waits.$ofCommand.withValue(waits) { await body() }
  }

  /// Written at once, so that results and remarks are in the order in which they were said.
  package func output(_ text: String) {
    notePrinted()
    ResultOutput.put(text + "\n")
  }

  /// What watches a run.
  package var reporter: ProgressReporter {
    ProgressReporter { event in self.show(event) }
  }

  private func show(_ event: ProgressEvent) {
    recorder.note(event)
    log?.note(event)
    if case .warning(let text) = event { warn("  \(text.plainForTerminal)") }
    guard showsProgress else { return }
    switch event {
    case .stageBegan(let stage):
      let place = line.withLock {
        $0.lastPercent = -1
        $0.pace = ProgressPace()
        return $0.order.words(stage)
      }
      write("\(stage.rawValue) …\(place.map { " (\($0))" } ?? "")\n")
    case .stageEnded: closeLine()
    case .heldUp, .warning: break
    case .note(let text): write("  \(text.plainForTerminal)\n")
    case .advanced(let stage, let done, let total): advance(stage, done: done, total: total)
    }
  }

  /// On a terminal one line that is written over; elsewhere a line every ten per cent, or every
  /// ten seconds where the total is unknown.
  ///
  /// Nothing is written where there is nothing to do.
  private func advance(_ stage: ProgressEvent.Stage, done: Int, total: Int?) {
    guard total != 0 else { return }
    let percent = total.map { done * 100 / $0 } ?? -1
    let now = ContinuousClock.now
    let (isDue, text) = line.withLock { state -> (Bool, String) in
      let sent = state.sentBytes()
      state.pace.advance(to: done, bytes: sent, at: now)
      let isStep = percent >= 0 && percent / 10 > state.lastPercent / 10
      let isLate = now - state.lastWritten > (isLive ? .milliseconds(100) : .seconds(10))
      guard isLive ? isLate || percent == 100 : (isStep && percent > 0) || isLate else {
        return (false, "")
      }
      state.lastPercent = max(percent, 0)
      state.lastWritten = now
      if isLive { state.isOpen = true }
      let place = isLive ? state.order.words(stage) : nil
      return (
        true,
        ([state.pace.words(of: total, at: now)] + (place.map { [$0] } ?? [])).joined(
          separator: ", "
        )
      )
    }
    guard isDue else { return }
    if isLive {
      let width = TerminalWidth.columns(of: STDERR_FILENO) ?? 80
      raw("\r\u{1B}[2K" + "  \(stage.rawValue): \(text)".prefix(max(width - 1, 20)))
    } else {
      raw("  \(stage.rawValue): \(text)\n")
    }
  }

  private func closeLine() {
    let wasOpen = line.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    if wasOpen { raw("\n") }
  }

  private func write(_ text: String) {
    closeLine()
    raw(text)
  }

  private func notePrinted() { lastPrinted.withLock { $0 = RunClock.system.now() } }

  private func raw(_ text: String) {
    notePrinted()
    StandardError.put(text)
  }
}

extension String {
  /// Each line escaped for a terminal, the line ends kept.
  package var plainLines: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).plainForTerminal }.joined(separator: "\n")
  }
}
