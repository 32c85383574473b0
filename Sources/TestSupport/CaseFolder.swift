package import Foundation

/// A folder of small inputs on which Ferry once failed, a folder a case, each with a README that
/// says what is right.
///
/// They are no part of the project: `FERRY_CASES` names the folder, and tests that need it say so
/// when they are skipped.
package enum CaseFolder {
  /// The folder that `FERRY_CASES` names; nil where the variable is not set.
  package static let path = ProcessInfo.processInfo.environment["FERRY_CASES"]

  /// Whether there is that folder.
  package static var isGiven: Bool { path != nil }

  /// Copies a case into `folder`, since scripts write beside themselves.
  ///
  /// - Parameters:
  ///   - name: The case's folder, such as `D-doubling` or `A-adversary/stuck-run`.
  ///   - folder: A folder that exists.
  /// - Returns: The copy, with the last component of the name.
  /// - Throws: ``TestSupportError`` without a folder of cases, or what the file system says.
  package static func copy(_ name: String, into folder: URL) throws -> URL {
    guard let path else { throw TestSupportError("FERRY_CASES is not set") }
    let original = URL(filePath: path).appending(path: name)
    let copy = folder.appending(path: original.lastPathComponent)
    try FileManager.default.copyItem(at: original, to: copy)
    // A folder of shared material may be without write bits.
    let files = FileManager.default.enumerator(at: copy, includingPropertiesForKeys: nil)
    for case let file as URL in [copy] + (files?.allObjects ?? []) {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
      if file.lastPathComponent == "profile.yaml" { try useTodaysKey(in: file) }
    }
    return copy
  }

  /// The drafts of the cases were made when the list of members without a place was called `unplaced`.
  private static func useTodaysKey(in profile: URL) throws {
    let text = try String(contentsOf: profile, encoding: .utf8)
    try text.replacing(" unplaced: [", with: " unmapped: [")
      .write(to: profile, atomically: true, encoding: .utf8)
  }
}
