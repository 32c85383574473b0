import ExportPackage
import Files
import JSONText
import Profiles
import RecordMapping
import Records
import StageSupport

/// Holds the media files of a package that is there, or half there, against those of the app.
///
/// A store's digest says nothing about the files beside it: an app may replace a picture and leave
/// its row as it was. So a package is used again only while every file that its records name is
/// what it was when they were written. A file that has gone since is no reason against a package:
/// what it holds may be the last copy.
struct PackagedMedia {
  let profile: Profile
  let finder: MediaFinder

  /// The first name whose file is another one now, or is there only now; `nil` when none is.
  func change(in package: PackageReader) throws -> String? {
    for entity in profile.entities where namesFiles(entity, package.manifest) {
      let stream = try package.records(of: entity.name)
      if let name = try change(of: entity, stream) { return name }
    }
    return nil
  }

  /// Whether a file may be another one than the records name that a killed export left; of an
  /// encrypted package that cannot be read back nothing else is known.
  func isInDoubt(in writer: PackageWriter) throws -> Bool {
    for entity in profile.entities where !entity.media.isEmpty {
      if !writer.canReadBack { return true }
      if try change(of: entity, writer.written(of: entity.name)) != nil { return true }
    }
    return false
  }

  /// Whether any record of an entity names a file that can be another one, which the package's
  /// counts state.
  private func namesFiles(_ entity: EntityProfile, _ manifest: PackageManifest) -> Bool {
    entity.media.contains { rule in
      MediaValue.State.allCases.contains { state in
        (state != .remote || finder.fetched != nil)
          && manifest.entity(entity.name)?.tallies["media.\(rule.member).\(state.rawValue)"] != nil
      }
    }
  }

  private func change(
    of entity: EntityProfile,
    _ records: RecordStream
  ) throws -> String? {
    let document = JSONDocument()
    while let (line, _) = try records.next() {
      do throws(JSONError) {
        try document.parse(line)
      } catch {
        // Reading the package reports a damaged line, with its place.
        continue
      }
      for rule in entity.media {
        guard let member = document.member(of: document.root, named: rule.member),
          let name = text("name", of: member, in: document)
        else { continue }
        if try hasChanged(name, by: rule, member, document) { return name }
      }
    }
    return nil
  }

  private func hasChanged(
    _ name: String,
    by rule: MediaRule,
    _ member: JSONNode,
    _ document: JSONDocument
  ) throws -> Bool {
    let found = try finder.find(name, by: rule)
    guard case .file(let path) = found else { return false }
    guard text("state", of: member, in: document) == MediaValue.State.present.rawValue else {
      return true
    }
    let sizeThen = document.member(of: member, named: "size").flatMap { document.int64(of: $0) }
    let digestThen = text("sha256", of: member, in: document)
    guard try InputFile(path, followsLinks: false).size() == sizeThen else { return true }
    let now = try InputFile.sha256(of: path, followsLinks: false).digest
    return Digest(bytes: now)?.description != digestThen
  }

  private func text(_ name: String, of node: JSONNode, in document: JSONDocument) -> String? {
    guard let member = document.member(of: node, named: name), document.kind(of: member) == .string
    else { return nil }
    return document.text(of: member)
  }
}
