import Files
import Records

extension PackageWriter {
  /// Writes what the package says about itself, gives it its name, and tells what was written.
  ///
  /// Counts, files and digests of the manifest are filled in here.
  package func finish(_ manifest: PackageManifest) throws(PackageError) -> PackageManifest {
    try finishChunk()
    try digestTogether()
    var manifest = manifest
    for index in manifest.entities.indices { fill(&manifest.entities[index]) }
    manifest.files =
      (journal.chunks.compactMap(\.data) + journal.chunks.compactMap(\.rejects) + schemas)
      .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    try files { () throws(FileError) in
      let sums = try writeSums(manifest.files)
      manifest.media = sums.media
      manifest.sums = sums.digest
      try write(manifest.bytes, as: PackagePath.manifest)
      // Data files and media were waited for when the journal named them.
      try Folder.sync("\(partial)/schemas")
      try Folder.sync(partial)
      try Folder.remove("\(partial)/\(PackagePath.progress)")
      try Folder.publish(partial, as: path)
    }
    return manifest
  }

  private func fill(_ entity: inout PackageManifest.Entity) {
    entity.records = 0
    entity.rejected = 0
    for chunk in journal.chunks where chunk.entity == entity.name {
      entity.records += chunk.records
      entity.rejected += chunk.rejected
      entity.tallies.merge(chunk.tallies) { $0 + $1 }
    }
  }

  private func write(_ bytes: [UInt8], as name: String) throws(FileError) {
    try Folder.remove("\(partial)/\(name)")
    var output = try OutputFile(creating: "\(partial)/\(name)")
    try output.write(bytes)
    _ = try output.finish()
  }

  /// Writes `SHA256SUMS` over all files, and removes media that no record names.
  private func writeSums(
    _ listed: [PackageManifest.File]
  ) throws(FileError) -> (digest: Digest, media: PackageManifest.Media) {
    try Folder.remove("\(partial)/\(PackagePath.sums)")
    var output = try OutputFile(creating: "\(partial)/\(PackagePath.sums)")
    var media = PackageManifest.Media()
    let known = journal.chunks.reduce(into: Set<Digest>()) { $0.formUnion($1.media) }
    var lines = listed.map { ($0.path, $0.sha256) }
    for digest in known { lines.append((PackagePath.media(digest), digest)) }
    lines.sort { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    for (path, digest) in lines { try output.write(Array("\(digest)  \(path)\n".utf8)) }
    let root = "\(partial)/media/sha256"
    var changed: Set<String> = []
    for folder in try Folder.names(in: root) {
      for name in try Folder.names(in: "\(root)/\(folder)") {
        if let digest = Digest(hexadecimal: name), known.contains(digest) {
          media.files += 1
          media.bytes += try InputFile("\(root)/\(folder)/\(name)").size()
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
    for folder in changed.sorted() { try Folder.sync(folder) }
    return (Digest(checked: try output.finish()), media)
  }
}
