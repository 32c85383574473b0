package import Files
import Foundation
package import JSONText
package import StageSupport
import Synchronization

/// The log of a command: a JSON object a line, added at the end of a private file.
///
/// What is written are names, numbers and places in time; never a value of a record, what a
/// destination said, or a secret.
package final class RunLog: Sendable {
  private struct State {
    var descriptor: Int32?
    var failure: FileError?
    var stage: String?
    var lastPercent = -1
    var lastWritten = ContinuousClock.now - .seconds(60)
  }

  /// The file.
  package let path: String
  private let state: Mutex<State>

  /// Opens the file, which is made readable for its owner alone; a device or a pipe is written to as
  /// it is.
  package init(_ path: String) {
    var begun = State()
    do throws(FileError) {
      begun.descriptor = try AppendingFile.begin(path, isPrivate: true)
    } catch {
      begun.failure = error
    }
    self.path = path
    state = Mutex(begun)
  }

  deinit { _ = state.withLock { $0.descriptor.map { close($0) } } }

  /// Why not every line so far was written; `nil` where each was.
  package var failure: FileError? { state.withLock { $0.failure } }

  /// Notes the begin of a command.
  package func began(_ command: String) {
    put("info", "began", [("command", .string(command)), ("tool", .string(FerryVersion.text))])
  }

  /// Notes how the command ended.
  package func ended(_ status: ExitStatus, mayRetry: Bool, seconds: Double, error: String?) {
    var more: [(String, JSONValue)] = [
      ("status", number(Int(status.rawValue))), ("name", .string(status.name)),
      ("seconds", JSONValue(floatLiteral: (seconds * 1_000).rounded() / 1_000)),
      ("mayRetry", .boolean(mayRetry)),
    ]
    if let error { more.append(("error", .string(error))) }
    put(status == .done ? "info" : "error", "ended", more)
  }

  /// What a stage came to: how many records of each entity, and how many findings by their rule.
  package func result(_ value: JSONValue) {
    guard let kind = value["type"]?.text, let object = value.object else { return }
    var codes: [String: Int] = [:]
    for finding in object["findings"]?.array ?? [] {
      codes[finding["code"]?.text ?? "", default: 0] += 1
    }
    var findings = JSONObject()
    for (code, count) in codes.sorted(by: { $0.key < $1.key }) { findings[code] = number(count) }
    var more: [(String, JSONValue)] = [("result", .string(kind)), ("findings", .object(findings))]
    for name in ["run", "records", "media", "entities"] {
      if let value = object[name] { more.append((name, value)) }
    }
    put("info", "result", more)
  }

  /// Notes a stage, a wait, or how far a stage is.
  package func note(_ event: ProgressEvent) {
    switch event {
    case .stageBegan(let stage):
      state.withLock { $0.lastPercent = -1 }
      put("info", "stage-began", [("stage", .string(stage.rawValue))])
    case .stageEnded(let stage):
      put("info", "stage-ended", [("stage", .string(stage.rawValue))])
    case .heldUp: break
    case .note(let text): put("notice", "note", [("words", .string(text))])
    case .warning(let text): put("warning", "warning", [("words", .string(text))])
    case .advanced(let stage, let done, let total): advanced(stage.rawValue, done, total)
    }
  }

  /// A line every ten per cent, or every ten seconds.
  private func advanced(_ stage: String, _ done: Int, _ total: Int?) {
    let percent = total.map { $0 == 0 ? 100 : done * 100 / $0 } ?? -1
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      guard percent / 10 > state.lastPercent / 10 || now - state.lastWritten > .seconds(10) else {
        return false
      }
      state.lastPercent = max(percent, 0)
      state.lastWritten = now
      return true
    }
    guard isDue else { return }
    var more: [(String, JSONValue)] = [("stage", .string(stage)), ("done", number(done))]
    if let total { more.append(("total", number(total))) }
    put("info", "advanced", more)
  }

  private func number(_ count: Int) -> JSONValue { .number(JSONNumber(Int64(count))) }

  private func put(_ level: String, _ event: String, _ more: [(String, JSONValue)]) {
    var object: JSONObject = [
      "time": .string(Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
      "level": .string(level), "event": .string(event),
      "process": number(Int(getpid())),
    ]
    for (name, value) in more { object[name] = value }
    let line = Array(JSONValue.object(object).canonicalBytes) + [UInt8(ascii: "\n")]
    state.withLock { state in
      guard let descriptor = state.descriptor else { return }
      // One call a line, so that several processes may share a log; what a call leaves, the next is refused.
      var rest = line[...]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else {
          state.failure = FileError(.write, path, number: written == 0 ? EIO : errno)
          return
        }
        rest = rest.dropFirst(written)
      }
    }
  }
}
