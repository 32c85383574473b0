import Foundation
import JSONText
import TestSupport
import Testing

/// The folder of hostile inputs, and what the program makes of each of that folder's.
enum HostileInputs {
  static let folder = ProcessInfo.processInfo.environment["FERRY_HOSTILE"]

  /// Where the program answers otherwise than the index says, on purpose.
  static let otherwise: [String: (status: Int32, reason: String)] = [
    "json/exp-huge.json": (0, "a number keeps its digits, whatever a Double can hold"),
    "json/schema-multiple-of.json": (0, "{} is valid under it; nothing overflows"),
    "sqlite/model-unknown.sqlite": (
      0, "without a model the columns' own names are taken, and said"
    ),
    "sqlite/no-column.sqlite": (0, "nothing expects a column where no profile names one"),
    "bplist/dup-key.bplist": (0, "both values are named, and that the later one counts"),
    "xml/xinclude.xml": (0, "the element is passed over like any other, and nothing included"),
    "xml/utf32be.xml": (0, "four-byte text is read by what its first bytes say"),
    "xml/huge-attr.xml": (0, "1 MB is within the limits, and nothing is named as a text"),
    "plist/keyed-archive-cycle.plist": (0, "an archive that cannot be read is named as left out"),
    "plist/keyed-archive-uid-range.plist": (
      0, "an archive that cannot be read is named as left out"
    ),
  ]

  struct Row {
    let file: String
    let must: String
    let status: Int32
    let seconds: Double
    let mebibytes: Double
    let said: String
    let isChanged: Bool

    /// Whether nothing that was printed could drive a terminal.
    var isSafeToPrint: Bool { !said.unicodeScalars.contains { $0.drivesTerminals } }

    /// Whether the exit status is what the index, or a stated difference from it, says.
    var isAnswered: Bool {
      if let other = HostileInputs.otherwise[file] { return status == other.status }
      switch must {
      case "accept": return status == 0 || status == 3
      case "error": return [4, 10, 12].contains(status)
      case "skip": return [0, 3, 4, 10].contains(status)
      default: return false
      }
    }
  }

  /// Gives each input of a folder to the program, which works in `place`.
  static func answers(to folder: String, in place: String) throws -> [Row] {
    let script = ServerScript.path("hostile_inputs.py")
    let printed = try Python.run(
      ["-B", script, try FerryProgram().path, folder, place]
    )
    return try printed.split(separator: "\n").map { line in
      let value = try JSONValue(parsing: String(line))
      return Row(
        file: value["file"]?.text ?? "",
        must: value["must"]?.text ?? "",
        status: Int32(value["status"]?.integer ?? -1),
        seconds: value["seconds"]?.double ?? .infinity,
        mebibytes: value["mebibytes"]?.double ?? .infinity,
        said: value["said"]?.text ?? "",
        isChanged: value["changed"] != false
      )
    }
  }
}
