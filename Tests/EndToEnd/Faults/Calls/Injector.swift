import Foundation
import TestSupport

/// What goes wrong at a call that changes a file or sends to a server.
struct Fault: Hashable, Sendable, CustomStringConvertible {
  enum Action: String, Sendable, CaseIterable {
    case killBefore = "kill-before"
    case killAfter = "kill-after"
    /// Half of the bytes are written, and the program killed.
    case torn
    /// Half of the bytes are written, and the program stated so.
    case short
    case inputOutputError = "EIO"
    case noSpace = "ENOSPC"
    case overQuota = "EDQUOT"
    case tooManyFiles = "EMFILE"
    /// Nothing is done, and the program stated that a signal came between: it asks again.
    case interrupted = "EINTR"
    /// Killed before the call, and what was not synced may be forgotten.
    case powerCut = "power-cut"

    /// Whether the program lives on and is informed of an error.
    ///
    /// An interruption is not one: anyone who asks again is answered.
    var isError: Bool {
      [.inputOutputError, .noSpace, .overQuota, .tooManyFiles].contains(self)
    }

    /// What the program is reported; `nil` where it is informed of no error.
    fileprivate var errorNumber: Int32? {
      switch self {
      case .inputOutputError: EIO
      case .noSpace: ENOSPC
      case .overQuota: EDQUOT
      case .tooManyFiles: EMFILE
      case .interrupted: EINTR
      case .killBefore, .killAfter, .torn, .short, .powerCut: nil
      }
    }

    /// Whether the program ends with it.
    var kills: Bool { [.killBefore, .killAfter, .torn, .powerCut].contains(self) }

    /// Whether it makes a difference at a call of this kind.
    func fits(_ kind: String) -> Bool {
      switch self {
      case .killBefore, .killAfter, .powerCut, .inputOutputError: true
      case .torn, .short: kind == "write"
      case .noSpace, .overQuota:
        [
          "create", "open", "open-empty", "write", "sync", "sync-all", "rename", "link", "mkdir",
          "truncate",
        ]
        .contains(kind)
      case .tooManyFiles: ["create", "open", "open-empty"].contains(kind)
      case .interrupted:
        ["create", "open", "open-empty", "write", "sync", "sync-all", "truncate", "close", "send"]
          .contains(kind)
      }
    }
  }

  let action: Action
  /// The number of the call, from 1.
  let call: Int
  /// Whether every later call goes wrong in the same way.
  var isSticky = false

  var description: String { "\(action.rawValue)\(isSticky ? " from" : " at") call \(call)" }

  /// Whether it went wrong in a run, and not only the run came to that call: what is sent at once with
  /// other things may have another number, and the call with this one be of a kind that takes no such error.
  func struck(_ ran: Scene.Ran) -> Bool {
    guard let reached = ran.calls.first(where: { $0.number == call }) else { return false }
    if action.kills { return ran.finished.wasKilled }
    guard let number = action.errorNumber else { return reached.kind == "write" }
    return ran.calls.contains {
      $0.error == number && (isSticky ? $0.number >= call : $0 == reached)
    }
  }
}

/// A call that the injector saw.
struct Call: Hashable, Sendable {
  var number: Int
  /// `create`, `open`, `open-empty`, `close`, `write`, `truncate`, `sync`, `sync-all`, `rename`,
  /// `link`, `unlink`, `rmdir`, `mkdir` or `send`.
  let kind: String
  let path: String
  /// The new name of a rename or link, the new size of a cut.
  let other: String
  /// How it ended: the error's number, 0 for none; `nil` when it did not end.
  var error: Int32?
  var offset = 0
  var length = 0
  /// Where in the program it was asked for, innermost first, where that was to be reported.
  var addresses: [String] = []

  /// Whether it waits for the disk: for a file or a folder, or for all that was written to a file system.
  var isSync: Bool { kind == "sync" || kind == "sync-all" }

  /// Whether the program itself waits for the disk.
  ///
  /// SQLite goes on where a folder could not be waited for, and leaves a log that could not be taken in at
  /// the end to the next run.
  var isOwnSync: Bool {
    isSync && !path.contains(".sqlite") && !path.hasSuffix("/checkpoints")
      && !CrashDisk.isTemporary(path)
  }

  /// Whether SQLite adds to its log.
  var isToLog: Bool { kind == "write" && path.hasSuffix("-wal") }

  /// Whether anything is different after it, on the disk or at the server.
  ///
  /// SQLite writes the head of a frame by itself, of 24 bytes; without its page it is not one.
  /// <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>
  var leavesTrace: Bool {
    switch kind {
    case "open", "close", "sync", "sync-all", "sync-range": false
    case "write": !(isToLog && length == 24)
    default: true
    }
  }
}

/// The library that is between the program and the C library, and numbers what it does.
struct Injector: Sendable {
  let library: String

  /// The C compiler: the toolchain's own, or the system's.
  static let compiler = ["clang", "cc"].compactMap { Injector.program($0) }.first

  /// Whether calls can be watched on this machine.
  static var isAvailable: Bool {
    #if os(Linux)
    compiler != nil
    #else
    false
    #endif
  }

  /// The one of this process, compiled when it is first asked for.
  static func shared() throws -> Injector { try once.get() }

  private static let once = Result { try Injector() }

  private init() throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "injector.c").path
    let folder = FileManager.default.temporaryDirectory.path
    library = "\(folder)/ferry-injector-\(ProcessInfo.processInfo.processIdentifier).so"
    let process = Process()
    process.executableURL = URL(filePath: Self.compiler ?? "/nowhere")
    process.arguments = ["-shared", "-fPIC", "-O1", "-Wall", "-o", library, source]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestSupportError("\(source) could not be compiled")
    }
    atexit { if let injector = try? Injector.shared() { unlink(injector.library) } }
  }

  static func program(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// What makes a program be watched: what it does at and below `folder`, written down in `log`.
  ///
  /// With `data`, the bytes of every write go there, and the log says where each sync and rename
  /// was asked for.
  func environment(
    watching folder: String,
    log: String,
    data: String? = nil,
    fault: Fault? = nil
  ) -> [String: String] {
    var values = ["LD_PRELOAD": library, "FAULT_UNDER": folder, "FAULT_LOG": log]
    if let data { values.merge(["FAULT_DATA": data, "FAULT_PLACES": "1"]) { $1 } }
    if let fault {
      values["FAULT_CALL"] = "\(fault.call)"
      let action = fault.action == .powerCut ? .killBefore : fault.action
      values["FAULT_ACTION"] = action.rawValue
      if fault.isSticky { values["FAULT_STICKY"] = "1" }
    }
    return values
  }

  /// Reads what was written down.
  static func log(at path: String) throws -> Log {
    var log = Log()
    for line in try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n") {
      log.add(line.components(separatedBy: "\t"))
    }
    return log
  }

  /// What was written down of a run.
  struct Log: Sendable {
    private(set) var calls: [Call] = []
    /// How often calls of each kind were interrupted or cut short.
    private(set) var disturbances: [String: Int] = [:]
    /// Whether the clock was read and had jumped since.
    private(set) var hasClockJumped = false
    /// Whether an opening for reading was refused, see `FAULT_LOOK`.
    private(set) var hasRefusedOpening = false

    fileprivate mutating func add(_ fields: [String]) {
      if fields == ["!", "CLOCK"] { hasClockJumped = true }
      if fields.count > 2, fields[..<2] == ["!", "open"] { hasRefusedOpening = true }
      if fields.count > 2, fields[1] == "EVERY" { disturbances[fields[2], default: 0] += 1 }
      if fields.first == "=", fields.count == 5, let number = Int(fields[1]) {
        guard let place = calls.lastIndex(where: { $0.number == number }) else { return }
        calls[place].error = Int32(fields[2])
        calls[place].offset = Int(fields[3]) ?? 0
        calls[place].length = Int(fields[4]) ?? 0
      } else if fields.first == "@", fields.count == 3, let number = Int(fields[1]) {
        guard let place = calls.lastIndex(where: { $0.number == number }) else { return }
        calls[place].addresses = fields[2].components(separatedBy: " ").filter { !$0.isEmpty }
      } else if fields.count == 4, let number = Int(fields[0]) {
        calls.append(Call(number: number, kind: fields[1], path: fields[2], other: fields[3]))
      }
    }
  }
}
