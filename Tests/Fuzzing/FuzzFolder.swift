import Files

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A private folder for the inputs of a reader of files; it lies in memory where TMPDIR does.
struct FuzzFolder: Sendable {
  private let folder: PrivateFolder

  init() {
    do throws(FileError) {
      folder = try PrivateFolder()
    } catch {
      fatalError("there is no space for the input: \(error)")
    }
  }

  /// The path of a name in the folder.
  func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// Writes an input to the file of a name; gives its path.
  func write(_ input: UnsafeBufferPointer<UInt8>, to name: String) -> String {
    let path = path(name)
    guard let file = fopen(path, "w") else { fatalError("the input cannot be written") }
    fwrite(input.baseAddress, 1, input.count, file)
    fclose(file)
    return path
  }
}
