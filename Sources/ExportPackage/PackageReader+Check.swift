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
    var findings: [Finding] = []
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
