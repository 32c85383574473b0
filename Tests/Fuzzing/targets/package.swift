// stand-ins: Crypto
// rooms: JSONText Records Files AgeEncryption ExportPackage
import ExportPackage
import Files
import JSONText
import Records

/// Lies in memory where TMPDIR does.
private let folder: PrivateFolder = {
  do throws(FileError) {
    return try PrivateFolder()
  } catch {
    fatalError("there is no room for the input: \(error)")
  }
}()

private let binding: PackageBinding = {
  guard let digest = Digest(bytes: repeatElement(0, count: 32)) else {
    fatalError("32 bytes are a digest")
  }
  return PackageBinding(source: digest, profile: digest, tool: "0")
}()

/// What libFuzzer calls: the input, as the manifest of a package and as the journal of one that is not
/// finished, may be refused, and nothing else may happen.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do throws(PackageError) {
    let manifest = try PackageManifest(bytes: bytes, path: "manifest.json")
    let again = try PackageManifest(bytes: manifest.bytes, path: "manifest.json")
    precondition(again == manifest, "a manifest that is written is not the one that was read")
  } catch {
    _ = error.description
  }
  // A journal that is none counts for nothing, and folders are dear.
  if mayBeJournal(bytes) { goOn(after: bytes) }
  return 0
}

private func mayBeJournal(_ bytes: [UInt8]) -> Bool {
  do throws(JSONError) {
    return try JSONValue(parsing: bytes)["chunks"] != nil
  } catch {
    return false
  }
}

private func goOn(after journal: [UInt8]) {
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
  do throws(PackageError) {
    _ = try PackageWriter.open(package, binding: binding)
  } catch {
    _ = error.description
  }
}
