extension String {
  /// The text with each occurrence of a scalar replaced, also where a mark combines with it to one
  /// character.
  package func replacing(scalar: Unicode.Scalar, with text: String) -> String {
    var replaced = ""
    for each in unicodeScalars {
      if each == scalar {
        replaced.unicodeScalars.append(contentsOf: text.unicodeScalars)
      } else {
        replaced.unicodeScalars.append(each)
      }
    }
    return replaced
  }
}
