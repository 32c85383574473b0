package import Records
import StoreFiles
package import StoreReading

/// What an inspection of a file or folder came to.
package enum InspectedStore: Sendable {
  case read(StoreInspection)
  /// A folder that has stores or databases, of which none can be read; the findings name each.
  case unread([Finding])

  /// Reads the store at a path through a private copy.
  ///
  /// - Throws: `StoreError` for a file that cannot be read, and for a folder without any store.
  package init(_ path: String, options: Source.Options) throws {
    do {
      self = .read(try StoreInspection(of: path, options: options))
    } catch {
      guard case StoreError.noStore(_, let findings) = error, Self.nameUnread(findings) else {
        throw error
      }
      self = .unread(findings)
    }
  }

  /// Whether a store or a database of a folder is not read.
  package var hasUnread: Bool {
    switch self {
    case .read(let inspection): Self.nameUnread(inspection.findings)
    case .unread: true
    }
  }

  private static func nameUnread(_ findings: [Finding]) -> Bool {
    findings.contains { ContainerInspection.unreadCodes.contains($0.code) }
  }
}
