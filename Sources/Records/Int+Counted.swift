extension Int {
  /// The number with what it counts: `1 record`, `12 records`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
