package import JSONText
import StoreFiles
package import StoreReading

/// What was found in a folder that holds several stores, for a person and for a machine.
package enum ContainerText {
  package static func lines(of container: ContainerInspection) -> [String] {
    var lines = ["\(container.path)", "  form     \(container.form.words)"]
    for store in container.stores {
      let refusal = store.refusal.map { "; not read: \($0)" } ?? ""
      lines.append(
        "  store    \(store.path): \(store.kind.words), \(store.byteCount) bytes\(refusal)"
      )
    }
    for folder in container.media {
      let forms = folder.forms.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      lines.append(
        "  media    \(folder.path): \(folder.fileCount) files, \(folder.byteCount) bytes "
          + "(\(forms.joined(separator: ", ")))"
      )
    }
    for place in container.skipped { lines.append("  skipped  \(place.path): \(place.reason)") }
    if !container.apps.isEmpty {
      lines.append("  apps     \(container.apps.joined(separator: ", "))")
    }
    let kinds = container.others.map { "\($0.fileCount) \($0.kind)" }.joined(separator: ", ")
    lines.append(
      "  others   \(container.otherFileCount) files that are not among these"
        + (kinds.isEmpty ? "" : ": \(kinds)")
    )
    return lines.map(\.plainForTerminal)
  }

  package static func value(of container: ContainerInspection) -> JSONValue {
    .object([
      "type": "container", "path": .string(container.path),
      "form": .string(container.form.rawValue),
      "stores": .list(container.stores) { store in
        [
          "path": .string(store.path), "kind": .string(store.kind.name),
          "bytes": .whole(store.byteCount), "refusal": .text(store.refusal),
        ]
      },
      "media": .list(container.media) { folder in
        [
          "path": .string(folder.path), "files": .whole(folder.fileCount),
          "bytes": .whole(folder.byteCount),
        ]
      },
      "skipped": .array(
        container.skipped.map { .object(["path": .string($0.path), "reason": .string($0.reason)]) }
      ),
      "apps": .array(container.apps.map { .string($0) }),
      "otherFiles": .whole(container.otherFileCount),
      "others": .list(container.others) { others in
        [
          "kind": .string(others.kind), "files": .whole(others.fileCount),
          "bytes": .whole(others.byteCount),
        ]
      },
    ])
  }
}

extension ContainerInspection.Form {
  fileprivate var words: String {
    switch self {
    case .appContainer: "an app's container"
    case .managedDocument: "a managed document (UIManagedDocument)"
    case .backup: "a device's backup"
    case .folder: "a folder"
    }
  }
}
