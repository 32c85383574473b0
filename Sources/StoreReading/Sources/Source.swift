/// What a person gave to be read: a file or a folder, copied privately, opened and understood.
package struct Source {
  /// How a source is to be opened.
  package struct Options: Hashable, Sendable {
    /// Models that a person gave for stores that carry none: the paths of `.mom`, `.momd`,
    /// `.xcdatamodel` or `.xcdatamodeld`.
    package let models: [String]
    /// Whether SQLite reads the whole file for damage first.
    ///
    /// Without it, an index that disagrees with its table can hide rows of to-many relationships.
    package let checksIntegrity: Bool

    package init(models: [String] = [], checksIntegrity: Bool = true) {
      self.models = models
      self.checksIntegrity = checksIntegrity
    }
  }

  package let path: String
  /// The private copies that were taken, one a store.
  package let copies: [StoreCopy]
  package let store: any Store

  /// Copies what is at `path` into `folder`, which is made private, and opens it.
  ///
  /// - Throws: ``StoreError/unsupported(path:kind:)`` when it is of no kind that is read.
  package init(
    _ path: String,
    options: Options = Options(),
    into folder: String
  ) throws(StoreError) {
    self.path = path
    let copy = try StoreCopy(of: path, into: folder)
    copies = [copy]
    store = try CoreDataStore(copy, checksIntegrity: options.checksIntegrity)
  }

  /// The files that were read, as they were.
  package var files: [SourceFile] { copies.flatMap(\.sourceFiles) }

  /// The log of the first store that has one.
  package var writeAheadLog: WriteAheadLog? { copies.lazy.compactMap(\.writeAheadLog).first }

  /// Reads the source again and says what is different from when it was copied.
  package func differences() throws(StoreError) -> [String] {
    var differences: [String] = []
    for copy in copies { differences += try copy.differences() }
    return differences
  }
}
