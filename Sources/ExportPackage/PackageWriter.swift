import Files
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
    chunkSize: Int64 = 16 << 20
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
      try PackageWriter(path: path, binding: binding, chunkSize: chunkSize, lock: lock)
    )
  }

  private init(
    path: String,
    binding: PackageBinding,
    chunkSize: Int64,
    lock: PackageLock
  ) throws(PackageError) {
    self.path = path
    self.lock = lock
    self.chunkSize = chunkSize
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

// MARK: - Going on

extension PackageWriter {
  /// The place behind which an entity's rows are still to be read; `nil` for all of them.
  package func lastPlace(of entity: EntityName) -> Int64? {
    journal.chunks.last { $0.entity == entity }?.lastPlace
  }

  /// Whether a killed run left records that this one goes on behind.
  package var isResumed: Bool { !journal.chunks.isEmpty }

  /// The records of an entity that are finished so far.
  package func written(of entity: EntityName) -> RecordStream {
    let files = journal.chunks.filter { $0.entity == entity }.compactMap(\.data)
    return RecordStream(root: partial, files: files, after: nil)
  }

  /// Throws away what is finished so far, because the source's files are not what they were.
  package func startOver() throws(PackageError) {
    precondition(chunk == nil, "records were added")
    journal = PackageJournal(binding: journal.binding)
    try begin()
  }

  private func resume() throws(PackageError) {
    let place = "\(partial)/\(PackagePath.progress)"
    if InputFile.isPresent(place) {
      let bytes = try files { () throws(FileError) in try InputFile.contents(of: place) }
      if let found = PackageJournal(bytes: bytes), found.binding == journal.binding,
        try isWhole(found)
      {
        journal = found
        try files { () throws(FileError) in
          try removeLeftovers()
          // Folders that a killed run made may not be on the disk yet.
          try Folder.sync("\(partial)/media/sha256")
        }
        return
      }
    }
    try begin()
  }

  private func begin() throws(PackageError) {
    try files { () throws(FileError) in
      try Folder.remove(partial)
      for folder in ["data", "media/sha256", "schemas"] {
        try Folder.make("\(partial)/\(folder)")
      }
      try Folder.sync("\(partial)/media")
      try WholeFile.replace("\(partial)/\(PackagePath.progress)", with: journal.bytes)
    }
  }

  /// Whether every file that the journal names is there with its size.
  private func isWhole(_ journal: PackageJournal) throws(PackageError) -> Bool {
    for file in journal.chunks.flatMap({ [$0.data, $0.rejects] }).compactMap(\.self) {
      let place = "\(partial)/\(file.path)"
      guard InputFile.isPresent(place) else { return false }
      let size = try files { () throws(FileError) in try InputFile(place).size() }
      if size != file.size { return false }
    }
    return true
  }

  /// Removes files that were begun and never finished.
  private func removeLeftovers() throws(FileError) {
    let finished = Set(
      journal.chunks.flatMap { [$0.data?.path, $0.rejects?.path] }.compactMap(\.self)
    )
    for folder in ["data", "rejected"] where Folder.exists("\(partial)/\(folder)") {
      for name in try Folder.names(in: "\(partial)/\(folder)")
      where !finished.contains("\(folder)/\(name)") {
        try Folder.remove("\(partial)/\(folder)/\(name)")
      }
    }
    // Among them a manifest without its end, and a draft of the journal.
    let kept = ["data", "media", "rejected", "schemas", PackagePath.progress]
    for name in try Folder.names(in: partial) where !kept.contains(name) {
      try Folder.remove("\(partial)/\(name)")
    }
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
    output = try OutputFile(creating: "\(partial)/\(name)")
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
      journal.chunks.append(done)
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
      sha256: Digest(checked: digest),
      entity: entity,
      records: records
    )
  }
}
