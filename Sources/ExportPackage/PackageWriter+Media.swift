package import Files
package import Records

extension PackageWriter {
  /// Copies a media file that the entity's next record names; each content is kept once.
  ///
  /// A link at the end of the path is not followed. The digest is what the file is found by.
  package func addMedia(
    from source: FileSource,
    of entity: EntityName
  ) throws(PackageError) -> (digest: Digest, size: Int64) {
    try turn(to: entity)
    let found = try files(source.sha256(followsLinks: false))
    let digest = Digest(checked: found.digest)
    let isSame = try keepMedia(digest) { name throws(FileError) in try copy(source, as: name) }
    guard isSame else { throw .unsteadyMedia(path: source.path) }
    return (digest, found.size)
  }

  /// Adds a media file that is a value of the entity's next record; each content is kept once.
  ///
  /// - Returns: Its digest; `nil` where the value could not be read, as it says itself.
  package func addMedia(
    _ value: LargeValue,
    of entity: EntityName
  ) throws(PackageError) -> Digest? {
    try turn(to: entity)
    guard let digest = Digest(of: value) else { return nil }
    let isSame = try keepMedia(digest) { name throws(FileError) in
      try write(value, as: name)
    }
    return isSame ? digest : nil
  }

  /// Has a media file written under its name, unless the package has it; `false` where what was written is
  /// not of that digest.
  private func keepMedia(
    _ digest: Digest,
    write: (_ name: String) throws(FileError) -> [UInt8]
  ) throws(PackageError) -> Bool {
    let isKnown =
      chunk?.media.contains(digest) == true
      || journal.chunks.contains { $0.media.contains(digest) }
    if isKnown { return true }
    let name = PackagePath.media(digest)
    let target = storage.path(of: name)
    let isSame = try files { () throws(FileError) in
      // What a killed run left may be whole to us and not yet on the disk.
      try Folder.remove(target)
      let folder = Folder.parentPath(of: target)
      if !Folder.exists(folder) {
        try Folder.make(folder)
        unsynced.add(folder: Folder.parentPath(of: folder))
      }
      unsynced.add(folder: folder)
      return try write(name) == digest.bytes
    }
    if isSame { chunk?.media.insert(digest) }
    return isSame
  }

  private func copy(_ source: FileSource, as name: String) throws(FileError) -> [UInt8] {
    var input = try source.open(followsLinks: false)
    var output = try storage.create(name)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try input.read(into: buffer)
      if count == 0 { break }
      try output.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    return try finish(output)
  }

  /// Writes a value to a file, and gives its digest; nothing where the value could not be read.
  private func write(_ value: LargeValue, as name: String) throws(FileError) -> [UInt8] {
    var output = try storage.create(name)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { memory.deallocate() }
    var offset = 0
    while offset < value.count {
      let size = min(memory.count, value.count - offset)
      let piece = UnsafeMutableRawBufferPointer(rebasing: memory[..<size])
      guard value.read(at: offset, into: piece) else { return [] }
      try output.write(UnsafeRawBufferPointer(piece))
      offset += size
    }
    return try finish(output)
  }

  /// Adds a schema that the records obey.
  package func addSchema(_ name: String, _ bytes: [UInt8]) throws(PackageError) {
    guard let place = PackagePath.schema(name) else {
      throw .damaged(path: path, reason: "its schema “\(name)” leads out of the package")
    }
    guard !schemas.contains(where: { $0.path == place }) else { return }
    let file = try files { () throws(FileError) in
      try Folder.remove(storage.path(of: place))
      var output = try storage.create(place)
      try output.write(bytes)
      return try finish(output, as: place)
    }
    schemas.append(file)
  }
}
