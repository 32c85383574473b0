import Foundation
import GRDB
import NIOCore

/// Where uploaded bytes lie: files in a folder, or the rows that report them.
struct MediaStore: Sendable {
  let folder: String?

  /// Makes the folder, if there is to be one.
  init(folder: String?) throws(DevelopmentBackendError) {
    self.folder = folder
    guard let folder else { return }
    do {
      try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true
      )
    } catch {
      throw .mediaFolder(path: folder, reason: "\(error)")
    }
  }

  /// Keeps the bytes of a key; they appear whole or not at all.
  func keep(_ bytes: ByteBuffer, at key: String, _ transaction: Transaction) throws {
    let data = Data(bytes.readableBytesView)
    guard let folder else {
      try transaction.run("UPDATE files SET bytes = ? WHERE storageKey = ?", [data, key])
      return
    }
    let file = URL(fileURLWithPath: folder).appendingPathComponent(key)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try data.write(to: file, options: .atomic)
  }

  /// The bytes of a key, or `nil` when they do not exist.
  func bytes(at key: String, _ transaction: Transaction) throws -> ByteBuffer? {
    guard let folder else {
      let row = try transaction.row("SELECT bytes FROM files WHERE storageKey = ?", [key])
      let data: Data? = row?[0]
      return data.map { ByteBuffer(bytes: $0) }
    }
    let file = URL(fileURLWithPath: folder).appendingPathComponent(key)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return ByteBuffer(bytes: try Data(contentsOf: file))
  }

  /// Takes the bytes of a key away.
  func remove(_ key: String) throws {
    guard let folder else { return }
    let file = URL(fileURLWithPath: folder).appendingPathComponent(key)
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    try FileManager.default.removeItem(at: file)
  }
}
