import Files
package import Records

extension PackageWriter {
  /// Copies a media file that the entity's next record names; each content is kept once.
  ///
  /// A link at the end of the path is not followed. The digest is what the file is found by.
  package func addMedia(
    from source: String,
    of entity: EntityName
  ) throws(PackageError) -> (digest: Digest, size: Int64) {
    try turn(to: entity)
    let found = try files { () throws(FileError) in
      try InputFile.sha256(of: source, followsLinks: false)
    }
    let digest = Digest(checked: found.digest)
    let isKnown =
      chunk?.media.contains(digest) == true
      || journal.chunks.contains { $0.media.contains(digest) }
    if !isKnown {
      try copyMedia(from: source, digest: digest)
      chunk?.media.insert(digest)
    }
    return (digest, found.size)
  }

  private func copyMedia(from source: String, digest: Digest) throws(PackageError) {
    let target = "\(partial)/\(PackagePath.media(digest))"
    let isSame = try files { () throws(FileError) in
      // What a killed run left may be whole to us and not yet on the disk.
      try Folder.remove(target)
      // The journal will name the file, so nothing on the way to it may be forgotten.
      try Folder.makeLasting(Folder.parentPath(of: target))
      return try copy(source, to: target) == digest.bytes
    }
    guard isSame else { throw .unsteadyMedia(path: source) }
  }

  private func copy(_ source: String, to target: String) throws(FileError) -> [UInt8] {
    var input = try InputFile(source, followsLinks: false)
    var output = try OutputFile(creating: target)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try input.read(into: buffer)
      if count == 0 { break }
      try output.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    let digest = try output.finish()
    try Folder.sync(Folder.parentPath(of: target))
    return digest
  }

  /// Adds a schema that the records obey.
  package func addSchema(_ name: String, _ bytes: [UInt8]) throws(PackageError) {
    let place = "schemas/\(name)"
    guard !schemas.contains(where: { $0.path == place }) else { return }
    let file = try files { () throws(FileError) in
      try Folder.remove("\(partial)/\(place)")
      var output = try OutputFile(creating: "\(partial)/\(place)")
      try output.write(bytes)
      return try finish(output, as: place)
    }
    schemas.append(file)
  }
}
