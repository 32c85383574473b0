import Files
package import StoreReading

/// A source that was copied privately and opened, and the folder its copies lie in.
///
/// It is opened once for everything that reads it. The folder goes with the value.
package struct OpenedSource {
  package let source: Source
  private let folder: PrivateFolder

  /// Copies and opens what is at a path.
  package init(_ path: String, options: Source.Options) throws {
    let folder = try PrivateFolder()
    source = try Source(path, options: options, into: folder.path + "/source")
    self.folder = folder
  }
}
