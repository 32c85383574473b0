import Records
import StoreFiles

extension ContainerInspection {
  /// The codes of findings for databases and stores of a folder that are not read.
  package static let unreadCodes: Set<String> = [
    "container.database-unread", "container.store-unread",
  ]

  /// How many kinds of files are named; what is left is counted.
  private static let namedKinds = 20

  /// What is not read; a database counts as left out unless a person named the stores that are read.
  func unreadFindings(areNamed: Bool) -> [Finding] {
    stores.compactMap { found in
      found.refusal.map { reason in
        let isLeftOut = found.isUnreadDatabase && !areNamed
        return Finding(
          code: isLeftOut ? "container.database-unread" : "container.file-unread",
          severity: isLeftOut ? .warning : .note,
          file: found.path,
          cause: "\(found.path) is not read: \(reason)",
          cure: isLeftOut
            ? "\(found.kind.cure); if the app keeps no data in it, leave it out with --ignore, or name "
              + "the stores that are read under “stores” in the profile"
            : "no action is needed, unless the app keeps data in it"
        )
      }
    } + otherFindings
  }

  /// The files that are neither stores nor media, in one finding.
  private var otherFindings: [Finding] {
    guard !others.isEmpty else { return [] }
    let named = others.prefix(Self.namedKinds).map { "\($0.fileCount) \($0.kind)" }
    let rest = others.dropFirst(Self.namedKinds).reduce(0) { $0 + $1.fileCount }
    return [
      Finding(
        code: "container.files-other",
        severity: .note,
        cause: (otherFileCount == 1
          ? "1 file is no store" : "\(otherFileCount) files are no stores")
          + " and not read: "
          + (named + (rest > 0 ? ["\(rest) of other kinds"] : []))
          .joined(separator: ", "),
        cure:
          "no action is needed, unless the app keeps data in one of them; --ignore leaves files out "
          + "that are known"
      )
    ]
  }

  /// The places that were not looked into.
  var skippedFindings: [Finding] {
    skipped.map { skipped in
      Finding(
        code: "container.skipped",
        severity: .note,
        file: skipped.path,
        cause: "\(skipped.path) is not looked into: \(skipped.reason)",
        cure: "no action is needed, unless the app keeps data in it"
      )
    }
  }
}
