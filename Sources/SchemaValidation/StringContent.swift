import JSONText
import TextCodecs

/// What a text has to hold beside characters: `contentEncoding` and `contentMediaType`.
///
/// https://json-schema.org/draft-07/json-schema-validation#rfc.section.8
struct StringContent: Hashable {
  var isBase64 = false
  var isJSON = false

  static let anything = Self()

  /// The keyword that the text breaks, and what it asks for; `nil` when all is well.
  func fault(in text: UnsafeRawBufferPointer) -> (keyword: String, expected: String)? {
    var bytes = unsafe Array(text)
    if isBase64 {
      guard let decoded = Base64.bytes(padded: bytes) else {
        return ("contentEncoding", "bytes in base 64")
      }
      bytes = decoded
    }
    guard isJSON else { return nil }
    do throws(JSONError) {
      try JSONDocument().parse(copying: bytes)
      return nil
    } catch {
      return ("contentMediaType", "a text that is JSON")
    }
  }
}
