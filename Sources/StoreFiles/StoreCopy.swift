import Files
import Records

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A private copy of a store, taken while the source was still.
///
/// The main file, the write-ahead log and the rollback journal are copied under their own names,
/// so that SQLite recovers in the copy what was committed and rolls back what was not. The shared
/// memory (`-shm`) is left behind; SQLite makes its own. The source is opened for reading and
/// nothing else.
package struct StoreCopy: Hashable, Sendable {
  package let sourcePath: String
  /// What the main file was before it was copied.
  package let kind: SourceKind
  /// The copy's main file.
  package let path: String
  package let sourceFiles: [SourceFile]
  /// What the copied log holds, or `nil` when it is missing or it is empty.
  package let writeAheadLog: WriteAheadLog?

  /// How often the source may move before it is refused.
  private static let attempts = 4
  private static let copiedParts: [SourceFile.Part] = [.main, .writeAheadLog, .rollbackJournal]

  /// Copies the store at `sourcePath` into `folder`, which is made private (0700).
  ///
  /// Of a file that is no SQLite database there is only the main file.
  ///
  /// - Throws: ``StoreError/unsupported(path:kind:)`` when it is a folder, and
  ///   ``StoreError/unsteady(path:attempts:)`` when it changed during the copy each time.
  package init(of sourcePath: String, as kind: SourceKind, into folder: String) throws(StoreError) {
    guard kind != .folder else { throw .unsupported(path: sourcePath, kind: kind) }
    let parts = kind == .sqlite ? Self.copiedParts : [.main]
    if kind == .sqlite { try Self.expectPages(in: sourcePath) }
    let path = folder + "/" + Folder.lastName(of: sourcePath)
    try mapping { () throws(FileError) in try Folder.make(folder) }
    var copied: [SourceFile]?
    for attempt in 0..<Self.attempts where copied == nil {
      if attempt > 0 { _ = usleep(50_000 << UInt32(attempt)) }
      copied = try Self.copy(parts, from: sourcePath, to: path)
    }
    guard var files = copied else {
      throw .unsteady(path: sourcePath, attempts: Self.attempts)
    }
    if kind == .sqlite, let file = try Self.sourceFile(.sharedMemory, of: sourcePath) {
      files.append(file)
    }
    self.kind = kind
    self.sourcePath = sourcePath
    self.path = path
    sourceFiles = files
    let hasLog = files.contains { $0.part == .writeAheadLog && $0.byteCount > 0 }
    writeAheadLog =
      hasLog
      ? try mapping { () throws(FileError) in
        try WriteAheadLog(of: path + SourceFile.Part.writeAheadLog.rawValue)
      } : nil
  }

  /// The size of the files that were copied.
  package var byteCount: Int64 {
    sourceFiles.reduce(0) { $0 + ($1.part == .sharedMemory ? 0 : $1.byteCount) }
  }

  /// Reads the source again and says what is different from when it was copied.
  ///
  /// A file that still holds what its copy holds is the same; only another one is digested, for
  /// SQLite may have rolled something back in the copy.
  package func differences() throws(StoreError) -> [String] {
    var differences: [String] = []
    let parts = kind == .sqlite ? SourceFile.Part.allCases : [.main]
    for part in parts where try !isAsCopied(part) {
      let before = sourceFiles.first { $0.part == part }
      let now = try Self.sourceFile(part, of: sourcePath)
      switch (before, now) {
      case (nil, nil): break
      case (nil, let now?): differences.append("\(now.name) is new")
      case (let before?, nil): differences.append("\(before.name) is gone")
      case (let before?, let now?):
        if before.byteCount != now.byteCount {
          differences.append(
            "\(now.name) had \(before.byteCount) bytes and now has \(now.byteCount)"
          )
        } else if before.digest != now.digest {
          differences.append("\(now.name) has other content")
        }
      }
    }
    return differences
  }

  private func isAsCopied(_ part: SourceFile.Part) throws(StoreError) -> Bool {
    guard Self.copiedParts.contains(part), sourceFiles.contains(where: { $0.part == part }) else {
      return false
    }
    let (source, copy) = (sourcePath + part.rawValue, path + part.rawValue)
    guard InputFile.isPresent(source), InputFile.isPresent(copy) else { return false }
    return try mapping { () throws(FileError) in
      try InputFile.areEqual(source, copy, followsLinks: false)
    }
  }

  /// Refuses what cannot be a database before all of it is copied, be it as large as a disk.
  ///
  /// With a journal or a log beside it, its first page may yet be mended.
  private static func expectPages(in source: String) throws(StoreError) {
    for part in [SourceFile.Part.writeAheadLog, .rollbackJournal]
    where try FileStamp(of: source + part.rawValue) != nil { return }
    guard let header = try CutFile.header(of: source) else { return }
    let size = header.pageSize
    guard size < 512 || size > 65_536 || size & (size - 1) != 0 else { return }
    throw .damaged(
      path: source,
      place: "read the header",
      details: "it says that its pages have \(size) bytes"
    )
  }

  /// Copies once; `nil` when the source moved meanwhile.
  private static func copy(
    _ parts: [SourceFile.Part],
    from source: String,
    to target: String
  ) throws(StoreError) -> [SourceFile]? {
    for part in copiedParts {
      try mapping { () throws(FileError) in try Folder.remove(target + part.rawValue) }
    }
    let before = try CopyStamp(of: source)
    var files: [SourceFile] = []
    for part in parts {
      if let file = try copy(part, from: source, to: target) { files.append(file) }
    }
    return try CopyStamp(of: source) == before ? files : nil
  }

  /// Copies one part; `nil` when the store has none.
  private static func copy(
    _ part: SourceFile.Part,
    from source: String,
    to target: String
  ) throws(StoreError) -> SourceFile? {
    let path = source + part.rawValue
    if part != .main, try FileStamp(of: path) == nil { return nil }
    let isCloned = FileClone.make(of: path, at: target + part.rawValue)
    if !isCloned { try requireFreeSpace(for: path, in: Folder.parentPath(of: target)) }
    let (bytes, size) = try mapping { () throws(FileError) in
      if isCloned { return try InputFile.sha256(of: target + part.rawValue) }
      var input = try InputFile(path, followsLinks: false)
      var output = try OutputFile(creating: target + part.rawValue)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
      defer { unsafe buffer.deallocate() }
      var size: Int64 = 0
      while true {
        let count = unsafe try input.read(into: buffer)
        if count == 0 { break }
        unsafe try output.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        size += Int64(count)
      }
      return (try output.finishUnsynced(), size)
    }
    return sourceFile(part, path: path, bytes: bytes, size: size)
  }

  /// A disk that is filled to the last byte is trouble for others too.
  private static func requireFreeSpace(
    for path: String,
    in folder: String
  ) throws(StoreError) {
    let size = try mapping { () throws(FileError) in
      try InputFile(path, followsLinks: false).size()
    }
    guard let free = Folder.freeBytes(at: folder), size > free else { return }
    throw .diskFull(path: path, byteCount: size, folder: folder, free: free)
  }

  private static func sourceFile(
    _ part: SourceFile.Part,
    of source: String
  ) throws(StoreError) -> SourceFile? {
    let path = source + part.rawValue
    guard try FileStamp(of: path) != nil else { return nil }
    let (bytes, size) = try mapping { () throws(FileError) in
      try InputFile.sha256(of: path, followsLinks: false)
    }
    return sourceFile(part, path: path, bytes: bytes, size: size)
  }

  private static func sourceFile(
    _ part: SourceFile.Part,
    path: String,
    bytes: [UInt8],
    size: Int64
  ) -> SourceFile {
    guard let digest = Digest(bytes: bytes) else {
      preconditionFailure("a SHA-256 digest has 32 bytes")
    }
    return SourceFile(
      part: part,
      name: Folder.lastName(of: path),
      byteCount: size,
      digest: digest
    )
  }
}

/// How a source is: equal before and after means that no process wrote in between.
private struct CopyStamp: Hashable {
  private let stamps: [FileStamp?]
  /// The salts of the log, which change when it is begun anew.
  private let logHeader: [UInt8]

  init(of source: String) throws(StoreError) {
    let parts: [SourceFile.Part] = [.main, .writeAheadLog, .rollbackJournal]
    var stamps: [FileStamp?] = []
    for part in parts { stamps.append(try FileStamp(of: source + part.rawValue)) }
    self.stamps = stamps
    guard stamps[1] != nil else {
      logHeader = []
      return
    }
    logHeader = try mapping { () throws(FileError) in
      let file = try InputFile(
        source + SourceFile.Part.writeAheadLog.rawValue,
        followsLinks: false
      )
      let size = Int64(WriteAheadLog.headerSize)
      return try file.bytes(at: 0, count: Int(min(size, file.size())))
    }
  }
}
