import Foundation
import JSONText
import Migration
import Reports
import Synchronization

/// Where a command prints: results on standard output, everything meant for people on standard
/// error, progress there too.
final class Screen: Sendable {
  enum Format: String, Sendable, CaseIterable {
    case text, json, ndjson
    /// A model as a diagram; only where a command draws one.
    case mermaid
  }
  enum Progress: String, Sendable, CaseIterable { case auto, plain, none }

  let format: Format
  let isQuiet: Bool
  /// What is kept for the reports at the end.
  let recorder: ReportRecorder
  private let isLive: Bool
  private let showsProgress: Bool
  private let line = Mutex(LineState())

  private struct LineState {
    var isOpen = false
    var lastPercent = -1
    var lastWritten = ContinuousClock.now - .seconds(60)
  }

  init(format: Format, progress: Progress, isQuiet: Bool, isReported: Bool) {
    recorder = ReportRecorder(isWanted: isReported)
    self.format = format
    self.isQuiet = isQuiet
    let isTerminal = isatty(STDERR_FILENO) == 1
    isLive = isTerminal && progress == .auto
    showsProgress = !isQuiet && progress != .none
  }

  /// A line for a person.
  func say(_ text: String) {
    guard !isQuiet else { return }
    write("\(text)\n")
  }

  /// A line for a person that is said even when quiet: what went wrong.
  func warn(_ text: String) { write("\(text)\n") }

  /// Why a run stopped before its end.
  func stopped(_ reason: String) {
    recorder.stopped("stopped: \(reason)")
    warn("ferry: stopped: \(reason)".plainForTerminal)
  }

  /// The next command to type.
  func suggest(_ command: String) {
    recorder.suggest(command)
    say("next: \(command)")
  }

  /// A result in text form; nothing when another form was asked for.
  func result(_ lines: [String]) {
    guard format == .text else { return }
    closeLine()
    output(lines.joined(separator: "\n"))
  }

  /// A result as JSON, which the reports have in any case; nothing when text was asked for.
  func result(_ value: JSONValue) {
    recorder.add(value)
    passing(value)
  }

  /// A part of a result as JSON, one of any number; the reports do not keep it.
  func passing(_ value: JSONValue) {
    switch format {
    case .text, .mermaid: return
    case .json: output(value.prettyText)
    case .ndjson: output(value.canonicalText)
    }
  }

  /// A result that is one line of JSON in whatever form was asked for.
  func line(_ value: JSONValue) { output(value.canonicalText) }

  /// A diagram; nothing when another form was asked for.
  func diagram(_ text: String) {
    guard format == .mermaid else { return }
    output(text)
  }

  /// Written at once, so that results and remarks stand in the order in which they were said.
  func output(_ text: String) {
    FileHandle.standardOutput.putAll(Data((text + "\n").utf8))
  }

  /// What watches a run.
  var reporter: ProgressReporter {
    ProgressReporter { event in self.show(event) }
  }

  private func show(_ event: ProgressEvent) {
    recorder.note(event)
    guard showsProgress else { return }
    switch event {
    case .stageBegan(let stage):
      line.withLock { $0.lastPercent = -1 }
      write("\(stage.rawValue) …\n")
    case .stageEnded: closeLine()
    case .note(let text): write("  \(text)\n")
    case .advanced(let stage, let done, let total): advance(stage, done: done, total: total)
    }
  }

  /// On a terminal one line that is written over; elsewhere a line every ten per cent, or every
  /// ten seconds where nobody knows the total.
  private func advance(_ stage: ProgressEvent.Stage, done: Int, total: Int?) {
    let percent = total.map { $0 == 0 ? 100 : done * 100 / $0 } ?? -1
    let now = ContinuousClock.now
    let text = total.map { "\(done) of \($0)" } ?? "\(done)"
    let isDue = line.withLock { state in
      let isStep = percent >= 0 && percent / 10 > state.lastPercent / 10
      let isLate = now - state.lastWritten > (isLive ? .milliseconds(100) : .seconds(10))
      guard isLive ? isLate || percent == 100 : (isStep && percent > 0) || isLate else {
        return false
      }
      state.lastPercent = max(percent, 0)
      state.lastWritten = now
      if isLive { state.isOpen = true }
      return true
    }
    guard isDue else { return }
    if isLive {
      raw("\r\u{1B}[2K  \(stage.rawValue): \(text)")
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

  private func raw(_ text: String) {
    FileHandle.standardError.putAll(Data(text.utf8))
  }
}

extension FileHandle {
  /// Writes all of it to a stream of the process, unless nobody reads that any more: `| head` ends
  /// the reading, not the run.
  func putAll(_ bytes: Data) {
    do { try write(contentsOf: bytes) } catch { return }
  }
}
