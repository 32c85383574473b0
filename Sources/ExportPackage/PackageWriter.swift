import AgeEncryption
import Files
package import Records

/// Writes a package so that it appears whole or not at all, and so that a killed export goes on
/// where it was.
///
/// Everything is written into `PKG.partial`. Whenever the disk has the finished data files, a small
/// journal says how far the export is; the next writer over the same source, profile and program goes
/// on behind them and ends with the same bytes as one that was never interrupted. Whatever else lies
/// in `PKG.partial` is thrown away. `PKG.lock` is held while a writer lives, so that two runs never
/// write one package.
///
/// The disk is waited for once for all files that are finished since the last time: after as many bytes
/// as a data file has at most, or as many files as are held open.
package final class PackageWriter {
  package let path: String
  let partial: String
  let keys: PackageKeys
  private let chunkSize: Int64
  /// Held until the package is finished or given up.
  private let lock: PackageLock
  var journal: PackageJournal
  var chunk: PackageChunk?
  private var output: PackageOutput?
  private var rejects: [UInt8] = []
  var schemas: [PackageManifest.File] = []
  /// The files that are finished, and that the disk may not have yet.
  var unsynced = FlushGroup()
  /// How many bytes of files the journal of `PKG.partial` does not name yet.
  private var unsyncedSize: Int64 = 0

  /// What is at a package's path.
  package enum Opening {
    /// A finished package.
    case alreadyPresent(PackageReader)
    case writing(PackageWriter)
  }

  /// Opens a package for writing, or shows that it is finished already.
  ///
  /// A data file that has reached `chunkSize` bytes is finished, and the next one begun. With
  /// recipients in `keys`, every file is encrypted to them; with identities, what a killed run left of
  /// an encrypted package can be read again, and a finished one be reported.
  package static func open(
    _ path: String,
    binding: PackageBinding,
    keys: PackageKeys = .none,
    chunkSize: Int64 = 16 << 20
  ) throws(PackageError) -> Opening {
    // A slash at the end names the same folder; what lies beside it is not in it.
    let path = Folder.withoutEndingSlashes(path)
    if InputFile.isPresent(path) {
      PackageLock.clear(of: path)
      return .alreadyPresent(try lasting(path, keys))
    }
    let lock = try PackageLock(of: path)
    if InputFile.isPresent(path) {
      // The run that held the lock until now has finished the package.
      return .alreadyPresent(try lasting(path, keys))
    }
    let partial = path + ".partial"
    try files(Folder.refuseLink(at: partial))
    if try isFinished(partial, binding, keys) {
      try files(Folder.publish(partial, as: path))
      return .alreadyPresent(try PackageReader(path, identities: keys.identities))
    }
    return .writing(try PackageWriter(path, binding, keys, chunkSize, lock))
  }

  private init(
    _ path: String,
    _ binding: PackageBinding,
    _ keys: PackageKeys,
    _ chunkSize: Int64,
    _ lock: PackageLock
  ) throws(PackageError) {
    self.path = path
    self.lock = lock
    self.chunkSize = chunkSize
    self.keys = keys
    partial = path + ".partial"
    journal = PackageJournal(binding: binding, seal: keys.encrypts ? PackageSeal(for: keys) : nil)
    try resume()
  }

  /// The manifest of a package that is there, once the disk has its name: the run that gave it one
  /// may have been killed before it could wait for that.
  ///
  /// - Throws: ``PackageError/sealedOtherwise(path:reason:)`` for one that is not encrypted as `keys`
  ///   ask for, and ``PackageError/sealed(path:)`` for one that cannot be looked into.
  private static func lasting(
    _ path: String,
    _ keys: PackageKeys
  ) throws(PackageError) -> PackageReader {
    let reader = try PackageReader(path, identities: keys.identities)
    if reader.isSealed != keys.encrypts {
      throw .sealedOtherwise(
        path: path,
        reason: reader.isSealed ? "it is encrypted" : "it is not encrypted"
      )
    }
    guard Set(reader.recipients) == Set(keys.recipients) else {
      throw .sealedOtherwise(path: path, reason: "it is encrypted to other recipients")
    }
    try files(Folder.sync(Folder.parentPath(of: path)))
    return reader
  }

  /// Whether a package lacks nothing but its name: the last run was killed just before the end.
  private static func isFinished(
    _ partial: String,
    _ binding: PackageBinding,
    _ keys: PackageKeys
  ) throws(PackageError) -> Bool {
    let isSealed = PackageStorage.isSealed(partial)
    guard InputFile.isPresent("\(partial)/\(PackagePath.manifest)") || isSealed,
      !InputFile.isPresent("\(partial)/\(PackagePath.progress)")
    else { return false }
    // One that cannot be looked into is made again: it takes longer, and loses nothing.
    guard isSealed == keys.encrypts, !isSealed || !keys.identities.isEmpty else { return false }
    let reader = try PackageReader(partial, identities: keys.identities)
    return Set(reader.recipients) == Set(keys.recipients) && reader.manifest.binding == binding
  }

  /// The files of the package, as far as they are written.
  var storage: PackageStorage { PackageStorage(partial, seal: journal.seal) }
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
    try add(piece: lines, of: entity)
    try end(count, of: entity, lastPlace: lastPlace)
  }

  /// Adds a piece of such lines, which ``end(_:of:lastPlace:)`` makes records.
  package func add(
    piece: UnsafeRawBufferPointer,
    of entity: EntityName
  ) throws(PackageError) {
    try turn(to: entity)
    try files { () throws(FileError) in
      try makeOutput()
      try output?.write(piece)
    }
  }

  /// Counts records whose lines were added in pieces.
  package func end(
    _ count: Int,
    of entity: EntityName,
    lastPlace: Int64
  ) throws(PackageError) {
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
    output = try storage.create(name)
  }

  /// Finishes the file at hand, and now and then writes down what is there.
  func finishChunk() throws(PackageError) {
    guard var done = chunk else { return }
    chunk = nil
    guard !done.isEmpty else { return }
    try files { () throws(FileError) in
      if let output = output.take() {
        let name = PackagePath.data(done.entity, done.number)
        done.data = try finish(output, as: name, entity: done.entity, records: done.records)
        unsynced.add(folder: "\(partial)/data")
      }
      if done.rejected > 0 {
        try Folder.makeLasting("\(partial)/rejected")
        let name = PackagePath.rejected(done.entity, done.number)
        var file = try storage.create(name)
        try file.write(rejects)
        done.rejects = try finish(file, as: name, entity: done.entity, records: done.rejected)
        unsynced.add(folder: "\(partial)/rejected")
        rejects = []
      }
    }
    journal.chunks.append(done)
    if unsyncedSize >= chunkSize || unsynced.isFull { try writeJournal() }
  }

  /// Waits until the disk has all that is finished, and writes down that it is there.
  func writeJournal() throws(PackageError) {
    try files { () throws(FileError) in
      try unsynced.flush()
      try WholeFile.replace("\(partial)/\(PackagePath.progress)", with: journal.bytes)
    }
    unsyncedSize = 0
  }

  /// Finishes a file, which the disk has when it has all of ``unsynced``; gives its digest.
  func finish(_ file: consuming PackageOutput) throws(FileError) -> [UInt8] {
    if unsynced.isFull { try unsynced.flush() }
    unsyncedSize += file.size
    return try file.finish(in: &unsynced)
  }

  func finish(
    _ file: consuming PackageOutput,
    as name: String,
    entity: EntityName? = nil,
    records: Int64? = nil
  ) throws(FileError) -> PackageManifest.File {
    let size = file.size
    let digest = try finish(file)
    return PackageManifest.File(
      path: name,
      size: size,
      sha256: Digest(checked: digest),
      entity: entity,
      records: records
    )
  }
}
