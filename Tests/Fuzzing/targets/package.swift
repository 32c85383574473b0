import ExportPackage
import Files
import JSONText
import Records

/// Lies in memory where TMPDIR does.
private let folder: PrivateFolder = {
  do throws(FileError) {
    return try PrivateFolder()
  } catch {
    fatalError("there is no space for the input: \(error)")
  }
}()

private let binding: PackageBinding = {
  guard let digest = Digest(bytes: repeatElement(0, count: 32)) else {
    fatalError("32 bytes are a digest")
  }
  return PackageBinding(source: digest, profile: digest, tool: "0")
}()

extension FuzzTarget {
  /// The input, as the manifest of a package and as the journal of one that is not finished, may be
  /// refused, and nothing else may happen.
  static let package = FuzzTarget("package") { input, report in
    let bytes = Array(input)
    do throws(PackageError) {
      let manifest = try PackageManifest(bytes: withOwnDigest(bytes), path: "manifest.json")
      let again = try PackageManifest(bytes: manifest.bytes, path: "manifest.json")
      report.expect(again == manifest, "a manifest that is written is not the one that was read")
    } catch {
      report.expectReason(error.description)
    }
    // A journal that is not one counts for nothing, and folders are dear.
    guard mayBeJournal(bytes) else { return }
    do throws(PackageError) {
      try goOn(after: bytes)
    } catch {
      report.expectReason(error.description)
    }
  }
}

/// The input with the digest of its own that a manifest says; as it is, where it is no object.
private func withOwnDigest(_ bytes: [UInt8]) -> [UInt8] {
  do throws(JSONError) {
    guard var object = try JSONValue(parsing: bytes).object else { return bytes }
    object[ManifestDigest.member] = .string(ManifestDigest.blank)
    return ManifestDigest.filled(in: Array(JSONValue.object(object).prettyText.utf8))
  } catch {
    return bytes
  }
}

private func mayBeJournal(_ bytes: [UInt8]) -> Bool {
  do throws(JSONError) {
    return try JSONValue(parsing: bytes)["chunks"] != nil
  } catch {
    return false
  }
}

private func goOn(after journal: [UInt8]) throws(PackageError) {
  let package = folder.path + "/p.ferry"
  do throws(FileError) {
    try Folder.remove(package + ".partial")
    for part in ["data", "media/sha256", "schemas"] {
      try Folder.make("\(package).partial/\(part)")
    }
    try WholeFile.replace("\(package).partial/progress.json", with: journal)
  } catch {
    fatalError("the input cannot be written: \(error)")
  }
  _ = try PackageWriter.open(package, binding: binding)
}
