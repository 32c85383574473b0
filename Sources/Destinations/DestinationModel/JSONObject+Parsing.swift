package import JSONText

extension JSONObject {
  /// Gives `nil` where the bytes are no JSON object.
  package init?(parsing bytes: [UInt8]) {
    do throws(JSONError) {
      guard let object = try JSONValue(parsing: bytes).object else { return nil }
      self = object
    } catch {
      return nil
    }
  }
}
