/// Why a model cannot be used.
package struct ModelFault: Error, Hashable, CustomStringConvertible {
  /// The file of the model, or `nil` for one that a store keeps in itself.
  package let path: String?
  /// What is the matter, as a clause.
  package let reason: String
  /// What a person can do about it.
  package let cure: String

  package init(_ reason: String, path: String? = nil, cure: String? = nil) {
    self.reason = reason
    self.path = path
    self.cure =
      cure ?? "give the model as the app has it: a .mom, .momd, .xcdatamodel or .xcdatamodeld"
  }

  package var description: String { path.map { "\($0): \(reason)" } ?? reason }

  /// The same fault of the file at `path`.
  func at(_ path: String) -> ModelFault { ModelFault(reason, path: self.path ?? path, cure: cure) }
}
