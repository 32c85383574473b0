/// What is wrong with a settings file, a variable or a word on the command line.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One thing that is wrong.
  package struct Fault: Hashable, Sendable {
    /// The file with its line, or the variable.
    package let place: String
    package let reason: String
    package let cure: String
  }

  package let faults: [Fault]

  init(_ faults: [Fault]) { self.faults = faults }

  /// One thing that is wrong with a file as a whole.
  package init(path: String, reason: String, cure: String) {
    self.init(place: path, reason: reason, cure: cure)
  }

  init(place: String, reason: String, cure: String = "") {
    faults = [Fault(place: place, reason: reason, cure: cure)]
  }

  package var description: String {
    faults.map { fault in
      "\(fault.place): \(fault.reason)" + (fault.cure.isEmpty ? "" : "\n  cure: \(fault.cure)")
    }.joined(separator: "\n")
  }
}
