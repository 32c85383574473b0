import Files
package import Records

/// Reads a package.
package struct PackageReader: Sendable {
  package let path: String
  package let manifest: PackageManifest
  /// The package's own digest: that of `manifest.json`, which holds those of all other files.
  package let digest: Digest

  /// The largest manifest that is read.
  private static let largestManifest = 256 << 20

  /// Opens a package; only the manifest is read.
  package init(_ path: String) throws(PackageError) {
    let place = "\(path)/\(PackagePath.manifest)"
    guard InputFile.isPresent(place) else { throw .notAPackage(path: path) }
    let bytes = try files { () throws(FileError) in
      try InputFile.contents(of: place, limit: Self.largestManifest)
    }
    self.path = path
    digest = Digest(sha256: bytes)
    manifest = try PackageManifest(bytes: bytes, path: path)
  }

  /// The place of a media file on this machine, whether it is there or not.
  package func mediaPath(_ digest: Digest) -> String {
    "\(path)/\(PackagePath.media(digest))"
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
    return RecordStream(root: path, files: rest, after: last)
  }

  /// The rows of an entity that could not become records, each a line that says why.
  package func rejects(of entity: EntityName) throws(PackageError) -> RecordStream {
    let files = manifest.files.filter { $0.entity == entity && $0.path.hasPrefix("rejected/") }
    return RecordStream(root: path, files: files, after: nil)
  }

  /// The line of one record.
  package func line(at place: RecordPlace) throws(PackageError) -> [UInt8] {
    guard PackagePath.isInside(place.file) else {
      throw .damaged(path: path, reason: "“\(place.file)” leads out of the package")
    }
    return try files { () throws(FileError) in
      try InputFile("\(path)/\(place.file)").bytes(at: place.offset, count: place.length)
    }
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
