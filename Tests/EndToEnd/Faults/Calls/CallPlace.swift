import Foundation
import TestSupport

/// The lines of the program that asked for a call, innermost first: those of the module `Files` that
/// are not passed by for every file, and the first that lies outside of it.
struct CallPlace: Hashable, Sendable, CustomStringConvertible {
  /// A line of a source file, below `Sources`.
  struct Line: Hashable, Sendable, CustomStringConvertible {
    let file: String
    /// Counted from one.
    let number: Int

    var description: String { "\(file):\(number)" }
  }

  let lines: [Line]

  var description: String { lines.map(\.description).joined(separator: " < ") }

  /// Where the sources lie.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../Sources").standardized.path

  /// What every file, or every file of a module, goes through.
  private static let passedBy = [
    "Files/System.swift", "ExportPackage/PackageOutput.swift", "ExportPackage/PackageError.swift",
    "Quarantine/QuarantineError.swift",
  ]

  /// What finds lines by addresses; `nil` where the toolchain has no such program.
  static let symbolizer = Injector.program("llvm-symbolizer")

  /// The places of calls by their numbers; a call that SQLite made for itself has none.
  ///
  /// All calls have to be those of one program.
  static func places(of calls: [Call], in program: String) throws -> [Int: CallPlace] {
    let addresses = Array(Set(calls.flatMap(\.addresses))).sorted()
    let lines = try lines(of: addresses, in: program)
    var places: [Int: CallPlace] = [:]
    for call in calls {
      var place: [Line] = []
      let frames = call.addresses.map { lines[$0] ?? [] }
      // Between two lines of the program there may be code that the compiler made.
      guard frames.first?.isEmpty == false else { continue }
      for line in frames.joined() {
        if passedBy.contains(line.file) { continue }
        let text = try text(of: line)
        // How deep a folder lies makes no difference, nor whose folder is waited for again.
        if text.contains("try makeLasting(parent)") { continue }
        place.append(line)
        if !line.file.hasPrefix("Files/") || text.contains("syncIfReadable(") { break }
      }
      if !place.isEmpty { places[call.number] = CallPlace(lines: place) }
    }
    return places
  }

  /// The lines at addresses, innermost first where functions are one in another; those in the sources of
  /// others are not among them.
  private static func lines(of addresses: [String], in program: String) throws -> [String: [Line]] {
    guard let symbolizer else { throw TestSupportError("there is no llvm-symbolizer") }
    let process = Process()
    process.executableURL = URL(filePath: symbolizer)
    process.arguments =
      ["--obj=\(program)", "--functions=none", "--addresses", "--output-style=GNU"] + addresses
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    var lines: [String: [Line]] = [:]
    var reported = 0
    for line in text.split(separator: "\n").map(String.init) {
      if line.hasPrefix("0x") { reported += 1 }
      guard line.hasPrefix(root + "/"), (1...addresses.count).contains(reported) else { continue }
      let parts = line.dropFirst(root.count + 1).split(separator: ":")
      guard parts.count >= 2, let number = Int(parts[1].prefix { $0.isNumber }) else { continue }
      lines[addresses[reported - 1], default: []].append(
        Line(file: String(parts[0]), number: number)
      )
    }
    guard reported == addresses.count else {
      throw TestSupportError(
        "\(symbolizer) reported for \(reported) addresses of \(addresses.count)"
      )
    }
    return lines
  }

  private static func text(of line: Line) throws -> String {
    let source = try String(contentsOfFile: "\(root)/\(line.file)", encoding: .utf8)
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.contains(line.number - 1) ? String(lines[line.number - 1]) : ""
  }

  // MARK: - What there should be

  /// The lines of the sources, outside of `Files`, that have the disk waited for or a file named.
  static func expected() throws -> [Line: String] {
    let wanted =
      #/WholeFile\.(replace|place|copy)\(|Folder\.(sync|publish|makeLasting)\(|files?\.publish\(|\.finish\(\)|files\.add\(|unsynced\.flush\(/#
    var lines: [Line: String] = [:]
    for file in try FileManager.default.subpathsOfDirectory(atPath: root).sorted()
    where file.hasSuffix(".swift") && !isElsewhere(file) {
      let text = try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      where line.contains(wanted) && !line.contains("isLasting: false") && !line.contains("///") {
        lines[Line(file: file, number: index + 1)] = line.trimmingCharacters(in: .whitespaces)
      }
    }
    return lines
  }

  /// Modules that are not of the program, or whose word “finish” means something else.
  private static func isElsewhere(_ file: String) -> Bool {
    [
      "Files/", "TestSupport/", "DevelopmentBackend/", "DocumentChecking/", "AgeEncryption/",
      "LongTexts/",
      "StoreReading/", "TextCodecs/",
    ]
    .contains(where: file.hasPrefix) || passedBy.contains(file)
      || ["Sync/Execution/RunDriver.swift", "FerryKit/MigrationRun.swift"].contains(file)
      || file == "FerryCommands/ImportCommand.swift"
  }
}
