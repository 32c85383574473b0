package import Files

/// Standard input, kept in a private file while it is read.
package struct StandardInput {
  package let paths: [String]
  /// The file and the folder that goes with it.
  package let held: (folder: PrivateFolder, path: String)?

  /// Copies standard input where `-` is among the paths.
  package static func replacing(_ paths: [String]) throws -> StandardInput {
    guard paths.contains("-") else { return StandardInput(paths: paths, held: nil) }
    let folder = try PrivateFolder()
    let path = "\(folder.path)/input"
    var input = try InputFile.standardInput()
    var output = try OutputFile(creating: path)
    while true {
      let bytes = try input.bytes(upTo: 1 << 20)
      if bytes.isEmpty { break }
      try output.write(bytes)
    }
    _ = try output.finishUnsynced()
    return StandardInput(
      paths: paths.map { $0 == "-" ? path : $0 },
      held: (folder, path)
    )
  }
}
