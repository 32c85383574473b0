package import JSONText
package import Profiles
package import Records
import RequestBodies

/// A file in the package that a record names.
package struct RecordMedia: Hashable, Sendable {
  package let rule: MediaRule
  package let digest: Digest
  package let size: Int64
  /// The file's name as the row has it, without its folders.
  package let name: String
  /// The field of the one record that the file is sent for, where the destination keeps it there;
  /// `nil` where each content is kept once.
  package let field: String?

  /// What distinguishes the file from others at the destination: its content, and with it the record where
  /// the file is a part of that alone.
  package func key(of record: RecordID?) -> String {
    guard let field, let record else { return digest.description }
    let place = Digest(sha256: Array("\(record.entity)/\(record.key)/\(field)".utf8))
    return "\(digest).\(place.description.prefix(16))"
  }

  /// The Internet media type, by the name's extension.
  package var mediaType: String { rule.mediaType(ofFileNamed: name) }
}

/// A file in the package, and the member of requests that is to have its address.
package struct LinkedFile: Hashable, Sendable {
  package let name: String
  package let file: RecordMedia
  /// Whether the destination takes the address only when it makes the record, so that no change can bring it.
  package let isFixed: Bool
}

extension RequestProgram {
  /// The files of the package that are sent for a record; none where media is off.
  package func media(in record: JSONNode, of document: JSONDocument) -> [RecordMedia] {
    guard sendsMedia else { return [] }
    return api.mediaMembers.compactMap { media($0, in: record, of: document) }
  }

  /// The files of the package that requests link a record to.
  package func links(in record: JSONNode, of document: JSONDocument) -> [LinkedFile] {
    linkedFiles.compactMap { link in
      media(link.member, in: record, of: document).map { file in
        LinkedFile(name: link.name, file: file, isFixed: link.stage == .once)
      }
    }
  }

  /// The members of requests that link a record to a file.
  package var fileLinks: Set<String> { Set(linkedFiles.map(\.name)) }

  /// Whether any request names files.
  package var namesFiles: Bool { !linkedFiles.isEmpty || carriesFiles }

  /// Makes sure that a request leaves out no link to a file that is not at the destination and that no
  /// later request could bring: a new record must have those that it takes only when it is made, and a
  /// change must have what it is there for.
  ///
  /// - Throws: ``MappingFault/missingFile(member:)``, and what the resolver throws.
  package func expectFiles(
    for stage: RequestStage,
    of record: JSONNode,
    in document: JSONDocument,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) {
    for part in fileParts where part.stage == .once && stage == .create {
      guard try file(part.rule, record, document) == nil else { continue }
      throw .absentFile(member: part.name)
    }
    for link in linkedFiles where stage == .create ? link.stage == .once : stage.takes(link.stage) {
      if try lacksFile(link, of: record, in: document, resolver) {
        throw .missingFile(member: link.member)
      }
    }
  }

  /// The members of a request that would link the record to files that are not at the destination, and
  /// that a change can bring.
  package func unlinkedMembers(
    of record: JSONNode,
    in document: JSONDocument,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> [String] {
    var names: [String] = []
    for link in linkedFiles where link.stage != .once {
      if try lacksFile(link, of: record, in: document, resolver) { names.append(link.name) }
    }
    return names
  }

  /// Whether the package has the file that a link leads to, and the destination has not.
  private func lacksFile(
    _ link: FileLink,
    of record: JSONNode,
    in document: JSONDocument,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> Bool {
    guard let file = media(link.member, in: record, of: document) else { return false }
    return try resolver.media(file.rule.category, file.key(of: resolver.record)) == nil
  }

  /// A member of a request that links a record to a file.
  struct FileLink: Sendable {
    let name: String
    /// The record's member that names the file.
    let member: String
    let stage: RequestFieldRule.Stage
  }

  func media(
    _ member: String,
    in record: JSONNode,
    of document: JSONDocument
  ) -> RecordMedia? {
    guard let rule = profile.media.first(where: { $0.member == member }),
      let node = document.member(of: record, named: member),
      let digest = document.member(of: node, named: "sha256"),
      document.kind(of: digest) == .string,
      let sha256 = Digest(hexadecimal: document.text(of: digest)),
      let size = document.member(of: node, named: "size").flatMap({ document.int64(of: $0) }),
      let name = document.member(of: node, named: "name"), document.kind(of: name) == .string
    else { return nil }
    var text = Substring(document.text(of: name))
    if document.member(of: node, named: "url") != nil {
      // What follows the path of an address is no part of the file's name.
      text = text.prefix { $0 != "?" && $0 != "#" }
    }
    return RecordMedia(
      rule: rule,
      digest: sha256,
      size: size,
      name: String(text.split(separator: "/").last ?? text),
      field: sendsAssets ? api.body.first { $0.source == .media(member: member) }?.name : nil
    )
  }
}
