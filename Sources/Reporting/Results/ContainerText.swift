package import JSONText
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
    lines.append("  others   \(container.otherFileCount) files that are none of these")
    return lines.map(\.plainForTerminal)
  }

  package static func value(of container: ContainerInspection) -> JSONValue {
    .object([
      "type": "container",
      "path": .string(container.path),
      "form": .string(container.form.rawValue),
      "stores": .array(
        container.stores.map { store in
          .object([
            "path": .string(store.path), "kind": .string(store.kind.rawValue),
            "bytes": .number(JSONNumber(store.byteCount)),
            "refusal": store.refusal.map { .string($0) } ?? .null,
          ])
        }
      ),
      "media": .array(
        container.media.map { folder in
          .object([
            "path": .string(folder.path), "files": .number(JSONNumber(Int64(folder.fileCount))),
            "bytes": .number(JSONNumber(folder.byteCount)),
          ])
        }
      ),
      "skipped": .array(
        container.skipped.map { .object(["path": .string($0.path), "reason": .string($0.reason)]) }
      ),
      "apps": .array(container.apps.map { .string($0) }),
      "otherFiles": .number(JSONNumber(Int64(container.otherFileCount))),
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
