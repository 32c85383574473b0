import Files
package import Records

extension PackageWriter {
  /// The place behind which an entity's rows are still to be read; `nil` for all of them.
  package func lastPlace(of entity: EntityName) -> Int64? {
    journal.chunks.last { $0.entity == entity }?.lastPlace
  }

  /// Whether a killed run left records that this one goes on behind.
  package var isResumed: Bool { !journal.chunks.isEmpty }

  /// Whether what is finished so far can be read again, which of an encrypted package needs an
  /// identity.
  package var canReadBack: Bool { journal.seal == nil || !keys.identities.isEmpty }

  /// The records of an entity that are finished so far.
  package func written(of entity: EntityName) -> RecordStream {
    let files = journal.chunks.filter { $0.entity == entity }.compactMap(\.data)
    return RecordStream(storage, files: files, after: nil)
  }

  /// Throws away what is finished so far, because the source's files are not what they were.
  package func startOver() throws(PackageError) {
    precondition(chunk == nil, "records were added")
    journal = PackageJournal(binding: journal.binding, seal: journal.seal)
    try begin()
  }

  func resume() throws(PackageError) {
    let place = "\(partial)/\(PackagePath.progress)"
    if InputFile.isPresent(place) {
      let bytes = try files(InputFile.contents(of: place))
      if let found = PackageJournal(bytes: bytes, identities: keys.identities),
        found.binding == journal.binding, isSealedAlike(found), try isWhole(found)
      {
        journal = found
        try files(removeLeftovers())
        // Folders that a killed run made may not be on the disk yet.
        let media = "\(partial)/\(storage.mediaFolder)"
        unsynced.add(folder: Folder.parentPath(of: media))
        unsynced.add(folder: media)
        return
      }
    }
    try begin()
  }

  private func begin() throws(PackageError) {
    try files { () throws(FileError) in
      try Self.refuseForeignFolder(partial)
      try Folder.remove(partial)
      for folder in Self.folders(storage) { try Folder.make("\(partial)/\(folder)") }
      unsynced.add(folder: "\(partial)/media")
      try WholeFile.replace("\(partial)/\(PackagePath.progress)", with: journal.bytes)
    }
  }

  /// What a killed run may have left at the top of an unfinished package.
  private static let topNames: Set<String> = [
    "data", "media", "rejected", "schemas", PackagePath.progress, PackagePath.manifest,
    PackagePath.sums, PackagePath.marker, PackagePath.sealing,
  ]

  /// Refuses what is no unfinished package: it is another process's, and is not thrown away.
  private static func refuseForeignFolder(_ partial: String) throws(FileError) {
    guard try InputFile.isKnownPresent(partial) else { return }
    let names = Folder.isReal(partial) ? try Folder.names(in: partial) : [partial]
    let isOurs = names.allSatisfy { name in
      let isSealed = name.hasSuffix(PackagePath.sealedEnding)
      let plain = isSealed ? String(name.dropLast(PackagePath.sealedEnding.count)) : name
      return topNames.contains(plain) || name.hasSuffix(".draft")
    }
    guard isOurs else { throw FileError(.makeFolder, partial, number: alreadyPresent) }
  }

  /// Whether what a killed run left is for the same recipients.
  private func isSealedAlike(_ found: PackageJournal) -> Bool {
    found.seal.map { Set($0.recipients) } == journal.seal.map { Set($0.recipients) }
  }

  /// The folders that are made before the journal.
  private static func folders(_ storage: PackageStorage) -> [String] {
    ["data", storage.mediaFolder, "schemas"]
  }

  /// Whether every file that the journal names is there with its size, and every folder.
  ///
  /// The first journal is written beside folders whose names the disk may not have yet: a power cut can
  /// take these and spare it.
  private func isWhole(_ journal: PackageJournal) throws(PackageError) -> Bool {
    let storage = PackageStorage(partial, seal: journal.seal)
    guard Self.folders(storage).allSatisfy({ Folder.exists("\(partial)/\($0)") }) else {
      return false
    }
    for file in journal.chunks.flatMap({ [$0.data, $0.rejects] }).compactMap(\.self) {
      guard InputFile.isPresent(storage.path(of: file.path)) else { return false }
      let size = try files(storage.size(of: file.path))
      if size != file.size { return false }
    }
    return true
  }

  /// Removes files that were begun and never finished.
  private func removeLeftovers() throws(FileError) {
    let finished = Set(
      journal.chunks.flatMap { [$0.data?.path, $0.rejects?.path] }
        .compactMap { $0.map(storage.place(of:)) }
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
