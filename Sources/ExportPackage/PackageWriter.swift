package import Files
package import Records

/// Writes a package so that it appears whole or not at all, and so that a killed export goes on
/// where it was.
///
/// Everything is written into `PKG.partial`. After each data file a small journal says how far the
/// export is; the next writer over the same source, profile and program goes on behind the last
/// finished file and ends with the same bytes as one that was never interrupted. Whatever else lies
/// in `PKG.partial` is thrown away. `PKG.lock` is held while a writer lives, so that two runs never
/// write one package.
package final class PackageWriter {
  package let path: String
  let partial: String
  private let chunkSize: Int64
  /// How the digests of data files come about: all but ``FileDigests/Way/alone`` take several files
  /// together once they are written.
  let digests: FileDigests.Way
  /// Held until the package is finished or given up.
  private let lock: PackageLock
  var journal: PackageJournal
  var chunk: PackageChunk?
  private var output: OutputFile?
  private var rejects: [UInt8] = []
  var schemas: [PackageManifest.File] = []
  /// Folders of media whose names the disk need not have before the journal names the files.
  var unsyncedFolders: Set<String> = []

  /// What stands at a package's path.
  package enum Opening {
    /// A finished package.
    case alreadyThere(PackageManifest)
    case writing(PackageWriter)
  }

  /// Opens a package for writing, or tells that it is finished already.
  ///
  /// A data file that has reached `chunkSize` bytes is finished, and the next one begun.
  package static func open(
    _ path: String,
    binding: PackageBinding,
    chunkSize: Int64 = 16 << 20,
    digests: FileDigests.Way = .best
  ) throws(PackageError) -> Opening {
    if InputFile.isPresent(path) {
      PackageLock.clear(of: path)
      return .alreadyThere(try lasting(path))
    }
    let lock = try PackageLock(of: path)
    if InputFile.isPresent(path) {
      // The run that held the lock until now has finished the package.
      return .alreadyThere(try lasting(path))
    }
    let partial = path + ".partial"
    if let manifest = try finished(partial, binding) {
      try files { () throws(FileError) in try Folder.publish(partial, as: path) }
      return .alreadyThere(manifest)
    }
    return .writing(
      try PackageWriter(path, binding, chunkSize, digests, lock)
    )
  }

  private init(
    _ path: String,
    _ binding: PackageBinding,
    _ chunkSize: Int64,
    _ digests: FileDigests.Way,
    _ lock: PackageLock
  ) throws(PackageError) {
    self.path = path
    self.lock = lock
    self.chunkSize = chunkSize
    self.digests = digests
    partial = path + ".partial"
    journal = PackageJournal(binding: binding)
    try resume()
  }

  /// The manifest of a package that is there, once the disk has its name: the run that gave it one
  /// may have been killed before it could wait for that.
  private static func lasting(_ path: String) throws(PackageError) -> PackageManifest {
    let manifest = try PackageReader(path).manifest
    try files { () throws(FileError) in try Folder.sync(Folder.parentPath(of: path)) }
    return manifest
  }

  /// A package that lacks nothing but its name: the last run was killed just before the end.
  private static func finished(
    _ partial: String,
    _ binding: PackageBinding
  ) throws(PackageError) -> PackageManifest? {
    guard InputFile.isPresent("\(partial)/\(PackagePath.manifest)"),
      !InputFile.isPresent("\(partial)/\(PackagePath.progress)")
    else { return nil }
    let manifest = try PackageReader(partial).manifest
    return manifest.binding == binding ? manifest : nil
  }
}

// MARK: - Records

extension PackageWriter {
  /// Adds a record's canonical JSON, which must be one line without its end.
  ///
  /// All records of an entity come before those of the next, and each at a greater place in the
  /// store's own order than the one before.
  package func add(
    _ record: UnsafeRawBufferPointer,
    of entity: EntityName,
    place: Int64
  ) throws(PackageError) {
    try turn(to: entity)
    try files { () throws(FileError) in
      try makeOutput()
      try output?.write(line: record)
    }
    chunk?.records += 1
    try advance(to: place)
  }

  /// How many bytes of an entity's lines are still wanted in the data file at hand.
  package func missingSize(of entity: EntityName) throws(PackageError) -> Int64 {
    try turn(to: entity)
    return chunkSize - (output?.size ?? 0)
  }

  /// Adds records that lie together, each with the end of its line, as ``add(_:of:place:)`` would
  /// one after the other.
  ///
  /// What comes before the last of them must be shorter than ``missingSize(of:)``, so that none of it
  /// belongs into the next data file.
  package func add(
    lines: UnsafeRawBufferPointer,
    count: Int,
    of entity: EntityName,
    lastPlace: Int64
  ) throws(PackageError) {
    guard count > 0 else { return }
    try turn(to: entity)
    try files { () throws(FileError) in
      try makeOutput()
      try output?.write(lines)
    }
    chunk?.records += Int64(count)
    try advance(to: lastPlace)
  }

  /// Adds a row that could not become a record, as a line that says why.
  package func reject(
    _ line: [UInt8],
    of entity: EntityName,
    place: Int64
  ) throws(PackageError) {
    try turn(to: entity)
    rejects += line
    rejects.append(0x0A)
    chunk?.rejected += 1
    try advance(to: place)
  }

  /// Counts something about the entity at hand, to be said in the manifest.
  ///
  /// Call it before the record it belongs to is added.
  package func count(
    _ name: String,
    by count: Int64 = 1,
    of entity: EntityName
  ) throws(PackageError) {
    try turn(to: entity)
    chunk?.tallies[name, default: 0] += count
  }

  /// Goes over to another entity, and finishes the file of the one before.
  func turn(to entity: EntityName) throws(PackageError) {
    if chunk?.entity == entity { return }
    try finishChunk()
    let number = journal.chunks.count { $0.entity == entity } + 1
    chunk = PackageChunk(entity: entity, number: number)
  }

  private func advance(to place: Int64) throws(PackageError) {
    chunk?.lastPlace = place
    let size = output?.size ?? 0
    if size >= chunkSize || Int64(rejects.count) >= chunkSize { try finishChunk() }
  }

  private func makeOutput() throws(FileError) {
    guard output == nil, let chunk else { return }
    let name = PackagePath.data(chunk.entity, chunk.number)
    output = try OutputFile(creating: "\(partial)/\(name)", isDigested: digests == .alone)
  }

  /// Finishes the file at hand and writes down that it is there.
  func finishChunk() throws(PackageError) {
    guard var done = chunk else { return }
    chunk = nil
    guard !done.isEmpty else { return }
    try files { () throws(FileError) in
      if let output = output.take() {
        let name = PackagePath.data(done.entity, done.number)
        done.data = try finish(output, as: name, entity: done.entity, records: done.records)
        done.isDigested = digests == .alone
        try Folder.sync("\(partial)/data")
      }
      if done.rejected > 0 {
        try Folder.makeLasting("\(partial)/rejected")
        let name = PackagePath.rejected(done.entity, done.number)
        var file = try OutputFile(creating: "\(partial)/\(name)")
        try file.write(rejects)
        done.rejects = try finish(file, as: name, entity: done.entity, records: done.rejected)
        try Folder.sync("\(partial)/rejected")
        rejects = []
      }
      for folder in unsyncedFolders.sorted() { try Folder.sync(folder) }
      unsyncedFolders = []
    }
    journal.chunks.append(done)
    if undigested.count >= FileDigests.width { try digestTogether() }
    try files { () throws(FileError) in
      try WholeFile.replace("\(partial)/\(PackagePath.progress)", with: journal.bytes)
    }
  }

  func finish(
    _ file: consuming OutputFile,
    as name: String,
    entity: EntityName? = nil,
    records: Int64? = nil
  ) throws(FileError) -> PackageManifest.File {
    let size = file.size
    let digest = try file.finish()
    return PackageManifest.File(
      path: name,
      size: size,
      sha256: digest.isEmpty ? .none : Digest(checked: digest),
      entity: entity,
      records: records
    )
  }
}
