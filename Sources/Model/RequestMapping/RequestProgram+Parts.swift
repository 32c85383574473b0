import JSONText
import Profiles
package import Records
import RequestBodies
import TextCodecs

/// A file that a request carries as a part of a form.
package struct CarriedFile: Hashable, Sendable {
  package let digest: Digest
  /// In bytes.
  package let size: Int64
  package let name: String
  package let mediaType: String
  /// What it holds, where the record itself has that; `nil` for a file of the package.
  package let bytes: [UInt8]?
}

/// A file of a record, and the field of the request that it is a part of.
package struct CarriedPart: Hashable, Sendable {
  package let field: String
  package let file: CarriedFile
}

extension RequestProgram {
  /// A field of a request that is a file.
  struct FilePart: Sendable {
    let name: String
    let rule: RequestFieldRule.FileRule
    let stage: RequestFieldRule.Stage
  }

  var fileParts: [FilePart] {
    api.body.compactMap { rule in
      guard case .file(let file) = rule.source else { return nil }
      return FilePart(name: rule.name, rule: file, stage: rule.stage)
    }
  }

  /// Whether requests carry files.
  package var carriesFiles: Bool { !fileParts.isEmpty }

  /// The members of a record with the bytes of a file, and not its name.
  var heldFiles: [String] {
    fileParts.compactMap { $0.rule.member.names.first }
      .filter { name in !profile.media.contains { $0.member == name } }
  }

  /// The files that the requests of a record carry.
  func carriedParts(
    of record: JSONNode,
    in document: JSONDocument
  ) throws(MappingFault) -> [CarriedPart] {
    var parts: [CarriedPart] = []
    for part in fileParts {
      guard let file = try file(part.rule, record, document) else { continue }
      parts.append(CarriedPart(field: part.name, file: file))
    }
    return parts
  }

  /// The file of a rule; `nil` if the package has none.
  ///
  /// - Throws: `MappingFault.unsendable` for a member that holds something else than a file.
  func file(
    _ rule: RequestFieldRule.FileRule,
    _ record: JSONNode,
    _ document: JSONDocument
  ) throws(MappingFault) -> CarriedFile? {
    let name = rule.name.flatMap { found($0, record, document)?.scalarText }
    if let member = rule.member.names.first, profile.media.contains(where: { $0.member == member })
    {
      return media(member, in: record, of: document).map { media in
        CarriedFile(
          digest: media.digest,
          size: media.size,
          name: name ?? media.name,
          mediaType: media.mediaType,
          bytes: nil
        )
      }
    }
    guard let value = found(rule.member, record, document), !value.isNull else { return nil }
    guard let text = value.text, let bytes = Base64.bytes(spaced: Array(text.utf8)) else {
      throw .unsendable(member: rule.member.description, found: value.kind)
    }
    let ending = rule.mediaType.split(separator: "/").last.map { ".\($0)" } ?? ""
    return CarriedFile(
      digest: Digest(sha256: bytes),
      size: Int64(bytes.count),
      name: name ?? "\(rule.member)\(ending)",
      mediaType: rule.mediaType,
      bytes: bytes
    )
  }
}
