package import Files

/// Why a package could not be written or read.
package enum PackageError: Error, Hashable, Sendable, CustomStringConvertible {
  case file(FileError)
  /// Nothing is at this path.
  case missing(path: String)
  /// There is no manifest at this path.
  case notAPackage(path: String)
  /// The package has a newer major format than this program reads.
  case tooNew(path: String, format: String, supported: String)
  /// Something in the package is not as it was written.
  case damaged(path: String, reason: String)
  /// A media file changed while it was copied.
  case unsteadyMedia(path: String)
  /// The package is encrypted, and no one gave an identity.
  case sealed(path: String)
  /// The package is encrypted, and to others.
  case notForUs(path: String)
  /// A package is there already, and is not encrypted as this one is to be.
  case sealedOtherwise(path: String, reason: String)
  /// Another run is writing the package; `holder` is its process number where it left one.
  case busy(path: String, holder: String?)

  package var description: String {
    switch self {
    case .file(let error): error.description
    case .missing(let path): "there is no package at \(path); check the path"
    case .notAPackage(let path):
      "\(path) is not an export package: it has no manifest.json; name the folder that “ferry export” made, "
        + "or bring an older program's export to one with “ferry upgrade”"
    case .tooNew(let path, let format, let supported):
      "\(path) has format \(format) and this program reads up to \(supported); use a newer ferry"
    case .damaged(let path, let reason):
      "\(path) is damaged: \(reason); make the package again, or copy it again from where it is whole"
    case .unsteadyMedia(let path):
      "\(path) changed while it was copied; close the app that writes it and try again"
    case .sealed(let path):
      "\(path) is encrypted; name the file of an identity that opens it with --identity"
    case .notForUs(let path):
      "\(path) is encrypted to others: no identity that was given opens it; name that of a recipient "
        + "with --identity"
    case .sealedOtherwise(let path, let reason):
      "\(path) is there already, and \(reason); name another folder, or move that one away"
    case .busy(let path, let holder):
      "another run is at work on \(path)\(holder.map { " (process \($0))" } ?? "")"
    }
  }
}

extension PackageError {
  /// Whether the system had no open files or no memory left, which says nothing about the package.
  package var isForWantOfMeans: Bool {
    if case .file(let error) = self { error.isForWantOfMeans } else { false }
  }
}

/// Calls into `Files`, with the module's own error.
func files<Answer: ~Copyable>(_ body: () throws(FileError) -> Answer) throws(PackageError) -> Answer
{
  do throws(FileError) {
    return try body()
  } catch {
    throw PackageError(error)
  }
}

/// The same for one expression.
func files<Answer: ~Copyable>(_ value: @autoclosure () throws(FileError) -> Answer)
  throws(PackageError) -> Answer
{
  do throws(FileError) {
    return try value()
  } catch {
    throw PackageError(error)
  }
}

extension PackageError {
  /// What was not opened for having been tampered with is damage, and no matter of the system.
  init(_ error: FileError) {
    self =
      error.operation == .decrypt
      ? .damaged(
        path: error.path,
        reason: "it was changed, cut or added to, or is of another package"
      )
      : .file(error)
  }
}
