import Files
import Records
package import StoreFiles
import TextCodecs

/// The folder in which Core Data keeps large binary values of a store.
package struct ExternalFolder: Hashable, Sendable {
  package let path: String
  package let fileCount: Int
  package let byteCount: Int64
}

/// The files in which Core Data keeps large binary values, beside the source store.
///
/// `.<name of the store without its extension>_SUPPORT/_EXTERNAL_DATA/<UUID>`
@safe
package struct ExternalFiles {
  /// `nil` when a part of the way is not a folder of its own.
  private let folder: String?

  package init(ofStoreAt path: String) {
    let folder =
      "\(Folder.parentPath(of: path))/\(Self.folderName(ofStoreAt: path))/_EXTERNAL_DATA"
    self.folder = Folder.exists(folder) ? folder : nil
  }

  /// The name of the folder beside a store that what belongs to it lies in.
  package static func folderName(ofStoreAt path: String) -> String {
    let name = Folder.lastName(of: path)
    let stem = name.lastIndex(of: ".").map { $0 == name.startIndex ? name : String(name[..<$0]) }
    return ".\(stem ?? name)_SUPPORT"
  }

  /// The files there, without opening them; `nil` when there is no such folder.
  package func survey() throws(StoreError) -> ExternalFolder? {
    guard let folder else { return nil }
    return try mapping { () throws(FileError) in
      var (count, bytes) = (0, Int64(0))
      for name in try Folder.names(in: folder) where !name.hasPrefix(".") {
        count += 1
        bytes += try InputFile(folder + "/" + name, followsLinks: false).size()
      }
      return ExternalFolder(path: folder, fileCount: count, byteCount: bytes)
    }
  }

  /// A reference is the byte 2, a UUID in upper case and a zero.
  @unsafe
  static func isReference(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == 38, unsafe bytes[0] == 2, unsafe bytes[37] == 0 else { return false }
    return unsafe UUIDText.isUpperCaseUUID(UnsafeRawBufferPointer(rebasing: bytes[1..<37]))
  }

  /// The content of the file a reference names, or `.lostFile` when it is not there.
  ///
  /// With `isHeld` the content is held, however large it is.
  ///
  /// - Throws: `StoreError.file(_:)` for one that is there and cannot be read now: it is not lost.
  @unsafe
  func cell(
    forReference bytes: UnsafeRawBufferPointer,
    isHeld: Bool,
    arena: Arena
  ) throws(StoreError) -> Cell {
    let name = unsafe UnsafeRawBufferPointer(rebasing: bytes[1..<37])
    guard let folder else { return unsafe .lostFile(name) }
    do throws(FileError) {
      let path = unsafe folder + "/" + String(decoding: name, as: UTF8.self)
      var file = try InputFile(path, followsLinks: false)
      let size = try file.size()
      guard size <= Self.largestFile else { return unsafe .lostFile(name) }
      if !isHeld, size > LargeValue.mostHeld {
        return arena.lend(Self.value(of: OpenedFile(file), count: Int(size)))
      }
      let target = unsafe arena.allocate(Int(size))
      unsafe try file.fill(target)
      return unsafe .blob(UnsafeRawBufferPointer(target))
    } catch {
      guard error.hidesWhatIsThere else { return unsafe .lostFile(name) }
      throw .file(error)
    }
  }

  /// A file that stays open for as long as its value is read.
  private final class OpenedFile {
    let file: InputFile

    init(_ file: consuming InputFile) { self.file = file }
  }

  private static func value(of opened: OpenedFile, count: Int) -> LargeValue {
    unsafe LargeValue(isText: false, count: count) { buffer, offset in
      do throws(FileError) {
        let bytes = try opened.file.bytes(at: Int64(offset), count: buffer.count)
        unsafe buffer.copyBytes(from: bytes)
      } catch {
        throw StoreError.file(error)
      }
    }
  }

  /// What SQLite itself would hold at most in one value.
  private static let largestFile: Int64 = 1 << 30
}
