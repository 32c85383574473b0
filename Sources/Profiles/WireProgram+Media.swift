package import JSONText
package import Records

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

  /// What tells the file from others at the destination: its content, and with it the record where
  /// the file is a part of that alone.
  package func key(of record: RecordID?) -> String {
    guard let field, let record else { return digest.description }
    let place = Digest(sha256: Array("\(record.entity)/\(record.key)/\(field)".utf8))
    return "\(digest).\(place.description.prefix(16))"
  }

  /// The Internet media type, by the name's extension.
  package var mediaType: String { rule.mediaType(ofFileNamed: name) }
}

extension WireProgram {
  /// The files of the package that are sent for a record; none where media is off.
  package func media(in record: JSONNode, of document: JSONDocument) -> [RecordMedia] {
    guard sendsMedia else { return [] }
    return api.mediaMembers.compactMap { media($0, in: record, of: document) }
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
