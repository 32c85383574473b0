import Crypto
import ExportPackage
import Files
import HTTPTransport
import JSONText
import Profiles
import Records
import StageSupport

/// What was fetched for a package that is being made: `PKG.fetched`, a folder of whole files beside
/// it, each named by the SHA-256 of its address.
///
/// What a killed run fetched is there for the next one. Once the package is finished it has all of it,
/// and the folder goes. `PKG.fetched.lock` is held for as long.
final class FetchedMedia {
  private let folder: String
  private let lock: LockFile

  /// Takes over what is there, for a package at this path.
  ///
  /// - Throws: `MigrationError.busy` while another run fetches for it.
  init(beside package: String) throws {
    let folder = package + ".fetched"
    let place = folder + ".lock"
    let taken: LockFile?
    try Folder.makeLasting(Folder.parentPath(of: place))
    taken = try LockFile(taking: place)
    guard let lock = taken else {
      throw MigrationError.busy(path: package, holder: LockFile.holder(of: place))
    }
    self.folder = folder
    self.lock = lock
    try Folder.refuseLink(at: folder)
    try Folder.makeLasting(folder)
    for name in try Folder.names(in: folder) where name.hasSuffix(MediaFetcher.draftEnding) {
      try Folder.remove("\(folder)/\(name)")
    }
  }

  deinit {
    // Removed while it is still held; one that stays behind is taken by the next run.
    try? Folder.remove(lock.path)
  }

  /// The file that an address gave, or `nil`.
  func path(of address: String) -> String? {
    let place = place(of: address)
    return InputFile.isPresent(place) ? place : nil
  }

  /// Where the file of an address belongs.
  func place(of address: String) -> String { "\(folder)/\(Self.digest(of: address))" }

  /// What an address is known by here.
  static func digest(of address: String) -> Records.Digest {
    guard let digest = Records.Digest(bytes: SHA256.hash(data: Array(address.utf8))) else {
      preconditionFailure("SHA-256 gives 32 bytes")
    }
    return digest
  }

  /// Removes the folder and all that is in it.
  func remove() throws(FileError) { try Folder.remove(folder) }

  /// Takes over what an earlier package has from addresses, as far as it is whole.
  func take(from package: PackageReader, _ profile: Profile) throws {
    let document = JSONDocument()
    for entity in profile.entities where Self.mayHave(entity, package.manifest) {
      let records = try package.records(of: entity.name)
      while let (line, _) = try records.next() {
        do throws(JSONError) { try document.parse(line) } catch { continue }
        for rule in entity.media {
          guard let node = document.member(of: document.root, named: rule.member),
            let address = Self.text("url", of: node, in: document),
            let digest = Self.text("sha256", of: node, in: document)
              .flatMap({ Records.Digest(hexadecimal: $0) })
          else { continue }
          guard let file = package.media(digest) else { continue }
          try take(file.path, digest, from: address)
        }
      }
    }
  }

  /// Whether any record of an entity has a file, which the package's counts state.
  private static func mayHave(_ entity: EntityProfile, _ manifest: PackageManifest) -> Bool {
    entity.media.contains { rule in
      manifest.entity(entity.name)?.tallies["media.\(rule.member).present"] != nil
    }
  }

  private static func text(
    _ name: String,
    of node: JSONNode,
    in document: JSONDocument
  ) -> String? {
    guard let member = document.member(of: node, named: name), document.kind(of: member) == .string
    else { return nil }
    return document.text(of: member)
  }

  private func take(_ file: String, _ digest: Records.Digest, from address: String)
    throws(FileError)
  {
    let place = place(of: address)
    guard !InputFile.isPresent(place), InputFile.isPresent(file),
      try InputFile.sha256(of: file, followsLinks: false).digest == digest.bytes
    else { return }
    if WholeFile.link(file, as: place) { return }
    let draft = place + MediaFetcher.draftEnding
    try WholeFile.copy(file, to: draft)
    try WholeFile.place(draft, at: place)
  }
}
