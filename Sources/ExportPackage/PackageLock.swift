import Files

/// `PKG.lock`: held while a package is being written, so that two runs never write one package,
/// and gone afterwards.
final class PackageLock {
  private let file: LockFile

  /// Takes the lock of the package at `path`.
  ///
  /// - Throws: ``PackageError/busy(path:holder:)`` when another run holds it.
  init(of path: String) throws(PackageError) {
    let place = path + ".lock"
    guard
      let file = try files({ () throws(FileError) in
        try Folder.makeLasting(Folder.parentPath(of: place))
        return try LockFile(taking: place)
      })
    else { throw .busy(path: path, holder: LockFile.holder(of: place)) }
    self.file = file
  }

  /// Removes the lock of a finished package whose writer was killed before it could do so.
  static func clear(of path: String) {
    guard InputFile.isPresent(path + ".lock") else { return }
    do throws(PackageError) {
      _ = try PackageLock(of: path)
    } catch {
      // Its writer lives and is about to remove it, or no one may write here: it hinders no one.
    }
  }

  deinit {
    // Removed while it is still held; one that stays behind is taken by the next run.
    try? Folder.remove(file.path)
  }
}
