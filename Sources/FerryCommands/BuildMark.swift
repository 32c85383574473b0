import CBuildMark
import Migration

/// What this very program was built from.
enum BuildMark {
  /// The version, and the commit where the build was marked with one: `0.1.0 (1a2b3c4d5e6f)`.
  static var text: String {
    guard let mark = ferry_commit(), let commit = String(validatingCString: mark), !commit.isEmpty
    else { return FerryVersion.text }
    return "\(FerryVersion.text) (\(commit))"
  }
}
