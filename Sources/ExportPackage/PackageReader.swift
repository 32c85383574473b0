package import AgeEncryption
package import Files
package import LongTexts
package import Records

/// Reads a package.
package final class PackageReader: Sendable {
  package let path: String
  package let manifest: PackageManifest
  /// The package's own digest: that of `manifest.json`, which holds those of all other files.
  ///
  /// It is of the plain text, so it does not depend on whether the package is encrypted.
  package let digest: Digest
  let storage: PackageStorage
  /// What it was opened with; empty where it is not encrypted, or nothing was given.
  package let identities: [AgeIdentity]
  /// Where the long texts of records are noted, for which stand-ins are given; `nil` where all is given whole.
  package let texts: LongTexts?
  /// Files that records were read from one by one.
  private let opened = OpenedFiles()

  /// The largest manifest that is read.
  ///
  /// It grows with the entities and the data files alone, and so has space for some 80,000 of those, of
  /// 16 MiB each; media are in a list of their own.
  private static let largestManifest = 24 << 20
  private static let largestSchema = 16 << 20

  /// Opens a package; only the manifest is read.
  ///
  /// - Parameters:
  ///   - path: The package's folder.
  ///   - identities: What opens it where it is encrypted.
  /// - Throws: ``PackageError`` for what is no package, is too new or damaged, or cannot be opened.
  package convenience init(_ path: String, identities: [AgeIdentity] = []) throws(PackageError) {
    let storage = try PackageStorage(opening: path, with: identities)
    guard InputFile.isPresent(storage.path(of: PackagePath.manifest)) else {
      guard InputFile.isPresent(path) else { throw .missing(path: path) }
      throw .notAPackage(path: path)
    }
    let bytes = try files(
      storage.source(PackagePath.manifest).contents(limit: Self.largestManifest)
    )
    self.init(
      storage,
      manifest: try PackageManifest(bytes: bytes, path: path),
      bytes: bytes,
      identities
    )
  }

  /// A package that was just written: nothing of it has to be opened to know what is in it.
  init(
    _ storage: PackageStorage,
    manifest: PackageManifest,
    bytes: [UInt8],
    _ identities: [AgeIdentity]
  ) {
    self.identities = identities
    path = storage.root
    self.manifest = manifest
    self.storage = storage
    texts = nil
    digest = Digest(sha256: bytes)
  }

  private init(_ other: PackageReader, noting texts: LongTexts?) {
    identities = other.identities
    path = other.path
    manifest = other.manifest
    storage = other.storage
    self.texts = texts
    digest = other.digest
  }

  /// The same package, whose records have a stand-in for each long text.
  package func standingIn(_ texts: LongTexts) -> PackageReader {
    PackageReader(self, noting: texts)
  }

  /// The same package, whose records are given whole.
  package var givingTexts: PackageReader { PackageReader(self, noting: nil) }

  /// Whether the package is encrypted.
  package var isSealed: Bool { storage.seal != nil }

  /// Whom the package is encrypted to.
  package var recipients: [AgeRecipient] { storage.seal?.recipients ?? [] }

  /// Where a media file is read from; `nil` for one that is not there.
  package func media(_ digest: Digest) -> FileSource? {
    let source = storage.source(PackagePath.media(digest))
    return InputFile.isPresent(source.path) ? source : nil
  }

  /// The schemas that travel in the package, by their names.
  package func schemas() throws(PackageError) -> [(name: String, bytes: [UInt8])] {
    var schemas: [(name: String, bytes: [UInt8])] = []
    for file in manifest.files where file.path.hasPrefix("schemas/") {
      let bytes = try files(storage.source(file.path).contents(limit: Self.largestSchema))
      schemas.append((Folder.lastName(of: file.path), bytes))
    }
    return schemas
  }

  /// A schema of the package, or `nil` where it has none of this name.
  package func schema(_ name: String) throws(PackageError) -> [UInt8]? {
    guard let source = PackagePath.schema(name).map({ storage.source($0) }),
      InputFile.isPresent(source.path)
    else { return nil }
    return try files(source.contents(limit: Self.largestSchema))
  }

  /// The records of an entity, in order: all, or those behind the last that is already known.
  package func records(
    of entity: EntityName,
    after last: RecordPlace? = nil
  ) throws(PackageError) -> RecordStream {
    var rest = manifest.dataFiles(of: entity)
    if let last {
      guard let index = rest.firstIndex(where: { $0.path == last.file }) else {
        throw .damaged(path: path, reason: "it has no file \(last.file)")
      }
      rest.removeFirst(index)
    }
    return RecordStream(storage, files: rest, after: last, texts: texts)
  }

  /// The rows of an entity that could not become records, each a line that says why.
  package func rejects(of entity: EntityName) throws(PackageError) -> RecordStream {
    let files = manifest.files.filter { $0.entity == entity && $0.path.hasPrefix("rejected/") }
    return RecordStream(storage, files: files, after: nil, texts: texts)
  }

  /// The line of one record.
  package func line(at place: RecordPlace) throws(PackageError) -> [UInt8] {
    guard let texts, place.length > LongText.mostHeld else {
      return try standingIn(
        bytes(of: place.file, at: place.offset, count: place.length),
        at: place
      )
    }
    let source = try source(of: place.file)
    return try files(texts.standingIn(lineOf: source, at: place.offset, size: place.length))
  }

  /// A line that was read whole, with a stand-in for each text that has to have one.
  private func standingIn(
    _ line: [UInt8],
    at place: RecordPlace
  ) throws(PackageError) -> [UInt8] {
    guard let texts else { return line }
    let source = try source(of: place.file)
    return try files(texts.standingIn(line, lineOf: source, at: place.offset))
  }

  /// The lines of records that follow each other in a file, or nearly so, read in one piece; `nil` where
  /// they do not.
  package func lines(at places: [RecordPlace]) throws(PackageError) -> [[UInt8]]? {
    guard let first = places.first, let last = places.last else { return [] }
    var end = first.offset
    for place in places {
      guard place.file == first.file, place.offset >= end, place.offset - end <= Self.widestGap
      else {
        return nil
      }
      end = place.offset + Int64(place.length)
    }
    let count = last.offset + Int64(last.length) - first.offset
    guard count <= Self.largestPiece else { return nil }
    let piece = try bytes(of: first.file, at: first.offset, count: Int(count))
    var lines: [[UInt8]] = []
    for place in places {
      let line = [UInt8](piece[Int(place.offset - first.offset)...].prefix(place.length))
      lines.append(try standingIn(line, at: place))
    }
    return lines
  }

  /// In bytes: what may lie between two lines that are read together, and how much is read at once.
  private static let widestGap: Int64 = 4_096
  private static let largestPiece: Int64 = 1 << 20

  private func bytes(
    of file: String,
    at offset: Int64,
    count: Int
  ) throws(PackageError) -> [UInt8] {
    let source = try source(of: file)
    return try files(opened.bytes(of: source, at: offset, count: count))
  }

  private func source(of file: String) throws(PackageError) -> FileSource {
    guard PackagePath.isInside(file) else {
      throw .damaged(path: path, reason: "“\(file)” leads out of the package")
    }
    return storage.source(file)
  }
}

/// Where a record's line lies.
package struct RecordPlace: Hashable, Sendable {
  /// The data file, relative to the package.
  package let file: String
  /// The first byte of the line, counted from zero.
  package let offset: Int64
  /// The bytes of the line, without its end.
  package let length: Int
  /// The line, counted from one; zero where it is not known.
  package let line: Int

  package init(file: String, offset: Int64, length: Int, line: Int = 0) {
    self.file = file
    self.offset = offset
    self.length = length
    self.line = line
  }
}
