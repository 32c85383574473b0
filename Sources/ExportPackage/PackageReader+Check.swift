import AgeEncryption
import Files
package import Records

extension PackageReader {
  /// Refuses a package of which a file is not as it was sealed.
  package func refuseDamaged() throws(PackageError) {
    let damages = try damages().map { "\($0.file ?? path): \($0.cause)" }
    guard damages.isEmpty else {
      throw .damaged(path: path, reason: damages.joined(separator: "; "))
    }
  }

  /// Reads every file again and holds it against its digest.
  ///
  /// The manifest and `SHA256SUMS` have to name the same files with the same digests.
  ///
  /// - Returns: One finding for each file that is missing, changed, not listed or listed differently;
  ///   none for a whole package.
  package func damages() throws(PackageError) -> [Finding] {
    if isSealed {
      let outer = try outerDamages()
      // What is whole outside may still not be what the manifest was written with.
      if !outer.isEmpty { return outer }
    }
    let list = storage.source(PackagePath.sums)
    guard let sums = manifest.sums, InputFile.isPresent(list.path) else {
      return [finding(PackagePath.sums, "the list of digests is missing")]
    }
    let bytes = try files(list.contents(limit: Self.largestList))
    guard Digest(sha256: bytes) == sums else {
      return [finding(PackagePath.sums, "it is not the list that the manifest was written with")]
    }
    var findings = contradictions
    var listed: [String: Digest] = [:]
    let named = Dictionary(
      manifest.files.map { ($0.path, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    guard let lines = Self.lines(bytes) else {
      return [finding(PackagePath.sums, "a line cannot be read")]
    }
    var folders: Set<String> = []
    for (name, digest) in lines {
      listed[name] = digest
      if let finding = try damage(of: name, digest, size: named[name]?.size, knowing: &folders) {
        findings.append(finding)
      } else if named[name] == nil, name != PackagePath.media(digest) {
        findings.append(finding(name, "the list of digests names it, and the manifest does not"))
      }
    }
    return findings + disagreements(with: listed, lineCount: lines.count)
  }

  /// Where the manifest says otherwise than the list of digests.
  private func disagreements(with listed: [String: Digest], lineCount: Int) -> [Finding] {
    var findings: [Finding] = []
    var seen: Set<String> = []
    for file in manifest.files {
      if !seen.insert(file.path).inserted {
        findings.append(finding(file.path, "the manifest names it twice"))
      } else if let digest = listed[file.path] {
        guard digest != file.sha256 else { continue }
        let cause = "the manifest and the list of digests have different digests of it"
        findings.append(finding(file.path, cause))
      } else {
        findings.append(finding(file.path, "the list of digests does not name it"))
      }
    }
    guard lineCount == listed.count else {
      return findings + [finding(PackagePath.sums, "it names a file twice")]
    }
    let media = listed.filter { $0.key == PackagePath.media($0.value) }.count
    if Int64(media) != manifest.media.files {
      let cause =
        "it counts \(manifest.media.files) media files, and the list of digests names \(media)"
      findings.append(finding(PackagePath.manifest, cause))
    }
    return findings
  }

  /// The files in the folder of a whole package that neither its manifest nor its list of digests names.
  ///
  /// Nothing is read from them. In an encrypted package they are damage, because no one can see what they
  /// represent.
  package func unnamedFiles() throws(PackageError) -> [Finding] {
    guard !isSealed else { return [] }
    let list = storage.source(PackagePath.sums)
    let bytes = try files(list.contents(limit: Self.largestList))
    let named = Set((Self.lines(bytes) ?? []).map(\.name) + [PackagePath.manifest])
    let here = try files(storage.outerNames())
    return here.filter { !named.contains($0) }.map { name in
      Finding(
        code: "package.unnamed-file",
        severity: .warning,
        file: name,
        cause: "the manifest does not name this file, so Ferry does not read it",
        cure: "move it out of the package's folder"
      )
    }
  }

  /// Where the manifest is at odds with itself: data of an entity that it does not list, and other
  /// counts than those of its files, by which records would go unnoticed.
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

  private static let largestList = 1 << 30
  private static let isLed = "it is a link, or lies behind one, and no part of the package"

  /// Names and digests, as `sha256sum` has them.
  private static func lines(_ bytes: [UInt8]) -> [(name: String, digest: Digest)]? {
    var lines: [(name: String, digest: Digest)] = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      guard line.utf8.count > 66, let digest = Digest(hexadecimal: String(line.prefix(64))) else {
        return nil
      }
      lines.append((String(line.dropFirst(66)), digest))
    }
    return lines
  }

  /// Holds the files of an encrypted package as they lie on the disk against the list that lies with
  /// them.
  private func outerDamages() throws(PackageError) -> [Finding] {
    let outside = PackageStorage(path, seal: nil)
    let place = outside.path(of: PackagePath.sums)
    guard InputFile.isPresent(place) else {
      return [finding(PackagePath.sums, "the list of digests is missing")]
    }
    let bytes = try files(InputFile.contents(of: place, limit: Self.largestList))
    guard let lines = Self.lines(bytes) else {
      return [finding(PackagePath.sums, "a line cannot be read")]
    }
    var findings: [Finding] = []
    var folders: Set<String> = []
    for (name, digest) in lines {
      let path = outside.path(of: name)
      guard PackagePath.isInside(name) else {
        findings.append(finding(name, "it lies outside the package"))
        continue
      }
      guard InputFile.isPresent(path) else {
        findings.append(finding(name, "it is missing"))
        continue
      }
      guard !outside.isLink(name, knowing: &folders) else {
        findings.append(finding(name, Self.isLed))
        continue
      }
      let found = try files(InputFile.sha256(of: path))
      if found.digest != digest.bytes { findings.append(finding(name, "its content was changed")) }
    }
    let listed = Set(lines.map(\.name))
    let here = try files(outside.outerNames())
    for name in here where !listed.contains(name) {
      findings.append(finding(name, "the list of digests does not name it"))
    }
    return findings
  }

  /// What is the matter with a file; one of another size than the manifest says is not read.
  private func damage(
    of name: String,
    _ digest: Digest,
    size: Int64?,
    knowing folders: inout Set<String>
  ) throws(PackageError) -> Finding? {
    guard PackagePath.isInside(name) else { return finding(name, "it lies outside the package") }
    let source = storage.source(name)
    guard InputFile.isPresent(source.path) else { return finding(name, "it is missing") }
    guard !storage.isLink(name, knowing: &folders) else { return finding(name, Self.isLed) }
    do throws(FileError) {
      if !isSealed, let size, try storage.size(of: name) != size {
        return finding(name, "its content was changed")
      }
      return try source.sha256().digest == digest.bytes
        ? nil : finding(name, "its content was changed")
    } catch {
      guard error.operation == .decrypt else { throw .file(error) }
      return finding(name, "its content was changed")
    }
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
  package var reportsDamage: Bool { code == Self.damage }
}
