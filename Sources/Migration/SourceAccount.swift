import ExportPackage
import JSONText
import Profiles
import Records

extension UploadSession {
  /// Refuses a package whose store says that it belongs to somebody else than is signed in.
  ///
  /// - Throws: ``MigrationError/foreignSource(named:now:)``
  func checkSourceAccount(_ package: PackageReader) throws(MigrationError) {
    guard let rule = profile.account, !options.acceptsChangedAccount, !options.plan.isOffline,
      package.manifest.recordCount(of: rule.entity) > 0
    else { return }
    var first: String?
    var isNamed = false
    let document = JSONDocument()
    try package.forEachRecord(of: rule.entity) { line, _ throws(MigrationError) in
      guard !isNamed, let name = document.text(of: rule.member, in: line) else { return }
      if first == nil { first = name }
      isNamed = AccountName.isSame(name, account)
    }
    if let first, !isNamed { throw .foreignSource(named: first, now: account) }
  }
}

extension JSONDocument {
  /// The text of a member of a line; `nil` when the line is not JSON or the member holds nothing.
  fileprivate func text(of member: String, in line: [UInt8]) -> String? {
    do throws(JSONError) {
      try parse(copying: line)
    } catch {
      return nil
    }
    guard kind(of: root) == .object, let node = self.member(of: root, named: member),
      kind(of: node) != .null
    else { return nil }
    let text = text(ofScalar: node)
    return text.isEmpty ? nil : text
  }
}
