package import JSONText
import Records

extension PackageManifest {
  /// The manifest as JSON.
  package var json: JSONValue {
    var object = unknown
    object["format"] = .string(format.description)
    object["tool"] = ["name": .string(tool.name), "version": .string(tool.version)]
    object["source"] = source.json
    object["profile"] = [
      "app": .string(profile.app), "digest": .string(profile.digest.description),
    ]
    object["dayRule"] = dayRule.map { .string($0) }
    object["timeZone"] = timeZone.map { .string($0) }
    object["entities"] = .array(entities.map(\.json))
    object["files"] = .array(files.map(\.json))
    object["media"] = ["files": .whole(media.files), "bytes": .whole(media.bytes)]
    object["sums"] = sums.map { .string($0.description) }
    return .object(object)
  }

  /// The bytes of `manifest.json`.
  package var bytes: [UInt8] {
    guard case .object(var object) = json else { return [] }
    object[ManifestDigest.member] = .string(ManifestDigest.blank)
    return ManifestDigest.filled(in: Array(JSONValue.object(object).prettyText.utf8) + [0x0A])
  }
}

extension PackageManifest.Source {
  var json: JSONValue {
    var object: JSONObject = [
      "kind": .string(kind), "store": .string(store), "digest": .string(digest.description),
      "model": [
        "origin": .string(modelOrigin), "versions": .array(modelVersions.map { .string($0) }),
      ],
    ]
    object["path"] = path.map { .string($0) }
    return .object(object)
  }
}

extension PackageManifest.Entity {
  var json: JSONValue {
    var object = unknown
    object["name"] = .string(name.text)
    object["schema"] = schema.map { .string($0) }
    object["role"] = .string(role)
    object["key"] = .string(key)
    object["references"] = .array(
      references.map { reference in
        var object: JSONObject = [
          "member": .string(reference.member), "many": .boolean(reference.isToMany),
        ]
        object["entity"] = reference.entities.first.map { .string($0.text) }
        object["inverse"] = reference.inverse.map { .string($0) }
        if reference.mayDangle { object["dangling"] = "keep" }
        if reference.entities.count > 1 {
          object["subentities"] = .array(reference.entities.dropFirst().map { .string($0.text) })
        }
        return .object(object)
      }
    )
    object["omitted"] = .array(omitted.map { .string($0) })
    object["records"] = .whole(records)
    object["rejected"] = .whole(rejected)
    object["tallies"] = .counts(tallies)
    return .object(object)
  }
}

extension PackageManifest.File {
  var json: JSONValue {
    var object: JSONObject = [
      "path": .string(path), "size": .whole(size), "sha256": .string(sha256.description),
    ]
    object["entity"] = entity.map { .string($0.text) }
    object["records"] = records.map { .whole($0) }
    return .object(object)
  }
}
