import Files

/// A folder of its own for one test, removed when the last holder lets go.
final class ModelFolder {
  let path: String

  init() throws {
    var random = SystemRandomNumberGenerator()
    path = "/tmp/ferry-model-\(random.next())"
    try Folder.make(path)
  }

  deinit {
    // What is left behind lies in the system's folder for temporary files.
    do { try Folder.remove(path) } catch { print("left behind: \(error)") }
  }

  /// Writes a file below the folder and gives its path.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    let file = path + "/" + name
    try Folder.make(Folder.parentPath(of: file))
    try WholeFile.replace(file, with: Array(text.utf8))
    return file
  }
}
