import Files

/// A file with a credential in it: the user's own, and no other device's to read.
enum CredentialFile {
  /// Reads a regular file that only this user may read, and to which no other user can lead a link.
  static func contents(of path: String, for name: String) throws(DestinationError) -> [UInt8] {
    do throws(PrivateFile.Refusal) {
      return try PrivateFile.contents(of: path)
    } catch {
      throw .misconfigured(
        reason: "the file of the credential “\(name)”: \(error.reason(path))",
        cure: error.cure(path)
      )
    }
  }
}
