extension Unicode.Scalar {
  /// Control and direction characters; a line's end is not one.
  package var drivesTerminals: Bool {
    switch properties.generalCategory {
    case .control: self != "\n"
    case .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
