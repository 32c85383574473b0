import AgeEncryption

extension PackageReader {
  /// A value that is remembered elsewhere for the package's sake, kept as the package itself is: in
  /// the open, or encrypted to the same recipients.
  package func kept(_ value: [UInt8]) -> [UInt8] {
    guard let seal = storage.seal else { return value }
    return AgeText.sealed(value, for: seal.recipients)
  }

  /// The value that ``kept(_:)`` was given.
  ///
  /// - Throws: ``PackageError/notForUs(path:)`` where no identity opens it.
  package func opened(_ value: [UInt8]) throws(PackageError) -> [UInt8] {
    guard AgeText.isSealed(value) else { return value }
    do throws(AgeError) {
      return try AgeText.opened(value, with: identities)
    } catch {
      switch error {
      case .noIdentityFits: throw .notForUs(path: "what an earlier run remembered of \(path)")
      default: throw .damaged(path: path, reason: "what an earlier run remembered of it: \(error)")
      }
    }
  }
}
