import Files
package import Records

extension PackageReader {
  /// Reads every file again and holds it against its digest.
  ///
  /// - Returns: One finding for each file that is missing, changed or not listed; none for a whole
  ///   package.
  package func damages() throws(PackageError) -> [Finding] {
    let place = "\(path)/\(PackagePath.sums)"
    guard let sums = manifest.sums, InputFile.isPresent(place) else {
      return [finding(PackagePath.sums, "the list of digests is missing")]
    }
    let bytes = try files { () throws(FileError) in
      try InputFile.contents(of: place, limit: 1 << 30)
    }
    let own = try files { () throws(FileError) in try InputFile.sha256(of: place) }
    guard own.digest == sums.bytes else {
      return [finding(PackagePath.sums, "it is not the list that the manifest was written with")]
    }
    var findings = contradictions
    var listed: Set<String> = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      guard line.utf8.count > 66, let digest = Digest(hexadecimal: String(line.prefix(64))) else {
        return [finding(PackagePath.sums, "a line cannot be read")]
      }
      let name = String(line.dropFirst(66))
      listed.insert(name)
      if let finding = try damage(of: name, digest) { findings.append(finding) }
    }
    for file in manifest.files where !listed.contains(file.path) {
      findings.append(finding(file.path, "the list of digests does not name it"))
    }
    return findings
  }

  /// Where the manifest is at odds with itself: data of an entity that it does not list, and other
  /// counts than those of its files, by which records would go unseen.
  private var contradictions: [Finding] {
    var findings: [Finding] = []
    var counted: [EntityName: (records: Int64, rejected: Int64)] = [:]
    for file in manifest.files where !file.path.hasPrefix("schemas/") {
      guard let entity = file.entity, manifest.entity(entity) != nil, let records = file.records
      else {
        findings.append(finding(file.path, "the manifest does not say whose records it holds"))
        continue
      }
      if file.path.hasPrefix("data/") {
        counted[entity, default: (0, 0)].records += records
      } else {
        counted[entity, default: (0, 0)].rejected += records
      }
    }
    for entity in manifest.entities {
      let files = counted[entity.name] ?? (0, 0)
      guard files != (entity.records, entity.rejected) else { continue }
      let cause = "it counts other records of \(entity.name) than its files hold"
      findings.append(finding(PackagePath.manifest, cause))
    }
    return findings
  }

  private func damage(of name: String, _ digest: Digest) throws(PackageError) -> Finding? {
    let place = "\(path)/\(name)"
    guard PackagePath.isInside(name) else { return finding(name, "it lies outside the package") }
    guard InputFile.isPresent(place) else { return finding(name, "it is missing") }
    let found = try files { () throws(FileError) in try InputFile.sha256(of: place) }
    return found.digest == digest.bytes ? nil : finding(name, "its content was changed")
  }

  private func finding(_ file: String, _ cause: String) -> Finding {
    Finding(
      code: Finding.damage,
      severity: .error,
      file: file,
      cause: cause,
      cure: "make the package again, or copy it again from where it is whole"
    )
  }
}

extension Finding {
  fileprivate static let damage = "package.damaged"

  /// Whether a file of a package is missing, foreign or changed.
  package var tellsOfDamage: Bool { code == Self.damage }
}
