package import JSONText
package import Records

/// A file in the package that a record names.
package struct RecordMedia: Hashable, Sendable {
  package let rule: MediaRule
  package let digest: Digest
  package let size: Int64
  /// The file's name as the row has it, without its folders.
  package let name: String

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
      name: String(text.split(separator: "/").last ?? text)
    )
  }
}
