import Foundation

extension String {
  /// Reads a text file.
  init(at path: String) throws { try self.init(contentsOfFile: path, encoding: .utf8) }

  /// Writes the text to a file.
  func save(to path: String) throws {
    try write(toFile: path, atomically: true, encoding: .utf8)
  }
}

/// Makes a folder, with those that it lies in.
func makeFolder(_ path: String) throws {
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
}
