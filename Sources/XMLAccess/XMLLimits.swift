/// How large the parts of an XML document may be; a document as a whole may have any size.
///
/// Text is not limited here: it comes in pieces, and who collects it says how much it may be.
package struct XMLLimits: Hashable, Sendable {
  /// How deep elements may lie in one another.
  package let depth: Int
  /// The number of bytes a name may have.
  package let nameSize: Int
  /// The number of bytes a tag with its attributes, a comment or an instruction may have.
  ///
  /// libxml2 itself stops a little below 10,000,000.
  package let markupSize: Int
  /// How many attributes a tag may have.
  package let attributeCount: Int
  /// How many different names a document may have.
  package let nameCount: Int

  package init(
    depth: Int = 256,
    nameSize: Int = 1024,
    markupSize: Int = 1 << 18,
    attributeCount: Int = 256,
    nameCount: Int = 20_000
  ) {
    self.depth = depth
    self.nameSize = nameSize
    self.markupSize = markupSize
    self.attributeCount = attributeCount
    self.nameCount = nameCount
  }

  /// For documents of any origin: tags, comments and instructions of up to 256 KiB.
  package static let standard = XMLLimits()

  /// For documents whose attributes list thousands of references: tags of up to 8 MiB.
  package static let longAttributes = XMLLimits(markupSize: 8 << 20)
}
