import Files
package import StageSupport
package import StoreReading

/// A source that was copied privately and opened, and the folder its copies lie in.
///
/// It is opened once for everything that reads it. The folder goes with the value.
package struct OpenedSource {
  package let source: Source
  private let folder: PrivateFolder

  /// Copies and opens what is at a path.
  package init(_ path: String, options: Source.Options) throws(MigrationError) {
    let folder = try filing(PrivateFolder())
    source = try storing(Source(path, options: options, into: folder.path + "/source"))
    self.folder = folder
  }
}
