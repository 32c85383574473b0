import Files
import JSONText
import Records

extension PackageWriter {
  /// Writes what the package says about itself, gives it its name, and says what was written.
  ///
  /// Counts, files and digests of the manifest are filled in here.
  ///
  /// - Returns: The package. Of an encrypted one more than the manifest can be read only with an
  ///   identity.
  @discardableResult
  package func finish(_ manifest: PackageManifest) throws(PackageError) -> PackageReader {
    try finishChunk()
    try writeJournal()
    var manifest = manifest
    fill(&manifest.entities)
    manifest.files =
      (journal.chunks.compactMap(\.data) + journal.chunks.compactMap(\.rejects) + schemas)
      .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    let bytes = try files { () throws(FileError) in
      let sums = try writeSums(manifest.files)
      manifest.media = sums.media
      manifest.sums = sums.digest
      let bytes = manifest.bytes
      if let seal = journal.seal { try write(seal.json.canonicalBytes, as: PackagePath.sealing) }
      try write(bytes, as: PackagePath.manifest)
      if journal.seal != nil { try writeOuterFiles() }
      unsynced.add(folder: "\(partial)/schemas")
      unsynced.add(folder: partial)
      try unsynced.flush()
      try Folder.remove("\(partial)/\(PackagePath.progress)")
      try Folder.publish(partial, as: path)
      return bytes
    }
    return PackageReader(
      PackageStorage(path, seal: journal.seal),
      manifest: manifest,
      bytes: bytes,
      keys.identities
    )
  }

  /// How many rows the package holds so far, as records or among the rejected; what is at hand is finished.
  package func countKept() throws(PackageError) -> Int {
    try finishChunk()
    return journal.chunks.reduce(0) { $0 + Int($1.records) + Int($1.rejected) }
  }

  private func fill(_ entities: inout [PackageManifest.Entity]) {
    let chunks = Dictionary(grouping: journal.chunks, by: \.entity)
    for index in entities.indices {
      entities[index].records = 0
      entities[index].rejected = 0
      for chunk in chunks[entities[index].name] ?? [] {
        entities[index].records += chunk.records
        entities[index].rejected += chunk.rejected
        entities[index].tallies.merge(chunk.tallies) { $0 + $1 }
      }
    }
  }

  private func write(_ bytes: [UInt8], as name: String) throws(FileError) {
    try Folder.remove(storage.path(of: name))
    var output = try storage.create(name)
    try output.write(bytes)
    _ = try finish(output)
  }

  /// Writes what lies in the open in an encrypted package: that it is one, and the digests of its
  /// files as they lie on the disk.
  private func writeOuterFiles() throws(FileError) {
    let outside = PackageStorage(partial, seal: nil)
    try Folder.remove(outside.path(of: PackagePath.marker))
    var marker = try outside.create(PackagePath.marker)
    try marker.write(PackageStorage.marker)
    _ = try finish(marker)
    try Folder.remove(outside.path(of: PackagePath.sums))
    var sums = try outside.create(PackagePath.sums)
    let names = try outside.outerNames()
    for name in names {
      let digest = try InputFile.sha256(of: outside.path(of: name)).digest
      try sums.write(Array("\(Digest(checked: digest))  \(name)\n".utf8))
    }
    _ = try finish(sums)
  }

  /// Writes `SHA256SUMS` over all files, and removes media that no record names.
  private func writeSums(
    _ listed: [PackageManifest.File]
  ) throws(FileError) -> (digest: Digest, media: PackageManifest.Media) {
    let storage = storage
    try Folder.remove(storage.path(of: PackagePath.sums))
    var output = try storage.create(PackagePath.sums)
    var media = PackageManifest.Media()
    let known = journal.chunks.reduce(into: Set<Digest>()) { $0.formUnion($1.media) }
    var lines = listed.map { ($0.path, $0.sha256) }
    for digest in known { lines.append((PackagePath.media(digest), digest)) }
    lines.sort { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    for (path, digest) in lines { try output.write(Array("\(digest)  \(path)\n".utf8)) }
    let root = "\(partial)/\(storage.mediaFolder)"
    let wanted = Dictionary(
      known.map { (storage.path(of: PackagePath.media($0)), PackagePath.media($0)) },
      uniquingKeysWith: { first, _ in first }
    )
    var changed: Set<String> = []
    for folder in try Folder.names(in: root) {
      for name in try Folder.names(in: "\(root)/\(folder)") {
        if let file = wanted["\(root)/\(folder)/\(name)"] {
          media.files += 1
          media.bytes += try storage.size(of: file) ?? 0
        } else {
          try Folder.remove("\(root)/\(folder)/\(name)")
          changed.insert("\(root)/\(folder)")
        }
      }
      if try Folder.names(in: "\(root)/\(folder)").isEmpty {
        try Folder.remove("\(root)/\(folder)")
        changed.remove("\(root)/\(folder)")
        changed.insert(root)
      }
    }
    for folder in changed { unsynced.add(folder: folder) }
    return (Digest(checked: try finish(output)), media)
  }
}
