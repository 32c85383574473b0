import Crypto
package import ExportPackage
import Files
import JSONText
import LegacyFiles
import PackageStages
import Profiles
import Records
import ResultImport
import ResultText
package import StageSupport
import UploadPlanning

extension ImportStage {
  /// Writes a package of the files' results and of all that `base` holds.
  package func run(
    into base: PackageReader?,
    output: String,
    toolVersion: String,
    interruption: CancellationToken
  ) throws -> ImportResult {
    progress.report(.stageBegan(.import))
    let files = try digest(base)
    let entities = try entities(base)
    let binding = PackageBinding(
      source: digest(of: files),
      profile: PackagedSchema.digest(
        of: profile?.digest ?? base?.manifest.profile.digest ?? Self.noProfile,
        with: entities.schemas
      ),
      tool: toolVersion
    )
    let kept = KeptReadings(mayWrite: !keys.encrypts)
    let settings = try settingsForSenders(interruption, kept)
    let opening = try PackageWriter.open(output, binding: binding, keys: keys)
    var result = ImportResult()
    switch opening {
    case .alreadyPresent(let package):
      guard package.manifest.binding == binding else {
        throw MigrationError.packageInTheWay(output)
      }
      result.alreadyExisted = true
      result.package = package
      try retell(package, base, of: entities.results, &result)
    case .writing(let writer):
      result.package = try write(
        writer,
        base,
        files,
        binding,
        entities,
        settings,
        kept,
        &result,
        interruption
      )
    }
    progress.report(.stageEnded(.import))
    return result
  }

  /// Says again which texts the run refused that wrote the package; those that `base` sent along come
  /// first.
  private func retell(
    _ package: PackageReader,
    _ base: PackageReader?,
    of entity: EntityName,
    _ result: inout ImportResult
  ) throws {
    guard package.manifest.entity(entity) != nil else { return }
    let held = base?.manifest.entity(entity)?.rejected ?? 0
    let rejects = try package.rejects(of: entity)
    var number: Int64 = 0
    while let line = try rejects.next().map({ [UInt8]($0.line) }) {
      number += 1
      guard number > held else { continue }
      let reject: JSONValue
      do throws(JSONError) { reject = try JSONValue(parsing: line) } catch {
        throw PackageError.damaged(path: package.path, reason: "a reject is not JSON: \(error)")
      }
      let finding = Finding(
        code: reject["code"]?.text ?? "import.refused",
        severity: .error,
        file: reject["file"]?.text,
        cause: reject["cause"]?.text ?? "",
        found: reject["found"]?.text,
        cure: reject["cure"]?.text ?? ""
      )
      result.counts.retell(finding)
      result.keep([finding])
    }
  }

  static let noProfile: Records.Digest = {
    guard let digest = Records.Digest(bytes: repeatElement(0, count: 32)) else {
      preconditionFailure("a digest has 32 bytes")
    }
    return digest
  }()

  /// One digest for the files, what is said about them, and the package they are added to.
  private func digest(_ base: PackageReader?) throws -> Records.Digest {
    var hash = SHA256()
    for file in files {
      let digest = try InputFile.sha256(of: file.path).digest
      hash.update(data: Array("\(file.name.utf8.count):\(file.name)\(file.form.rawValue)\n".utf8))
      hash.update(data: digest)
    }
    hash.update(data: Array("\(settings.words)\n\(options)\n".utf8))
    for game in catalogue.games { hash.update(data: Array(game.id.utf8)) }
    if let base { hash.update(data: base.digest.bytes) }
    guard let digest = Records.Digest(bytes: hash.finalize()) else {
      preconditionFailure("a SHA-256 has 32 bytes")
    }
    return digest
  }

  /// What the package is bound to: the files, and how the texts of each game are read.
  ///
  /// A file's identity does not depend on the descriptions: with one corrected, the results are those
  /// of the same store.
  private func digest(of files: Records.Digest) -> Records.Digest {
    var hash = SHA256()
    hash.update(data: files.bytes)
    for game in catalogue.games { hash.update(data: game.json) }
    guard let digest = Records.Digest(bytes: hash.finalize()) else {
      preconditionFailure("a SHA-256 has 32 bytes")
    }
    return digest
  }

  private func write(
    _ writer: PackageWriter,
    _ base: PackageReader?,
    _ files: Records.Digest,
    _ binding: PackageBinding,
    _ entities: ImportEntities,
    _ settings: ImportSettings,
    _ kept: KeptReadings,
    _ result: inout ImportResult,
    _ interruption: CancellationToken
  ) throws -> PackageReader {
    var ledger = ResultLedger(catalogue: catalogue, settings: settings)
    if let base { try adopt(base, streaks: entities.streaks, into: &ledger, &result) }
    var pass = ImportPass(entity: entities.results, writer: writer)
    if let base { try pass.carry(base) { ledger.reread($0).object } }
    var undescribed: [JSONObject] = []
    var stored = try take(kept, into: &pass, &undescribed, &ledger, &result, interruption)
    if let base, let streaks = entities.streaks { stored += try Self.stored(streaks, in: base) }
    let results = pass
    for entity in base?.manifest.entities ?? []
    where entity.name != entities.results && entity.name != entities.streaks
      && entity.name != ImportEntities.undescribed
    {
      var other = ImportPass(entity: entity.name, writer: writer)
      if let base { try other.carry(base) }
    }
    var others = ImportPass(entity: ImportEntities.undescribed, writer: writer)
    if let base { try others.carry(base) }
    for record in undescribed { try others.add(record) }
    if let streaks = entities.streaks {
      var derived = ImportPass(entity: streaks, writer: writer)
      for record in ledger.streaks() { try derived.add(record) }
      result.streakCount = Int(derived.place)
      result.streakDay = ledger.streakDay
    }
    let differences = ledger.differences(from: stored)
    result.counts.count(differences)
    result.keep(differences)
    guard result.counts.isComplete,
      results.place - results.carried == Int64(result.counts.newResults + result.counts.refusals)
    else {
      throw MigrationError.rowsLost(
        path: self.files.first?.path ?? "",
        read: result.counts.texts,
        kept: Int(results.place)
      )
    }
    return try finish(writer, base, files, binding, entities, result)
  }

  /// Takes every entry of every file, and gives the streaks that were stored.
  private func take(
    _ kept: KeptReadings,
    into pass: inout ImportPass,
    _ undescribed: inout [JSONObject],
    _ ledger: inout ResultLedger,
    _ result: inout ImportResult,
    _ interruption: CancellationToken
  ) throws -> [(streak: JSONObject, place: String, file: String)] {
    var stored: [(streak: JSONObject, place: String, file: String)] = []
    for (number, file) in files.enumerated() {
      let before = result.counts.texts
      try read(file, number, kept, into: &result, interruption) { entry, result in
        if case .streak(let streak) = entry.kind {
          stored.append((streak, entry.place.description, file.name))
          return true
        }
        let outcome = ledger.take(entry, file: file.name, form: file.form)
        guard entry.kind != .candidate || outcome.bucket != .none else { return false }
        result.counts.begin()
        result.counts.end(outcome)
        result.keep(outcome.findings)
        for record in outcome.records { try pass.add(record) }
        undescribed += outcome.undescribed
        if outcome.bucket == .refused {
          let finding = outcome.finding(of: entry, in: file)
          result.counts.count([finding])
          result.keep([finding])
          try pass.refuse(entry, finding, in: file)
        } else if let finding = outcome.partRefusal {
          try pass.refuse(entry, finding, in: file)
        }
        return true
      }
      result.add(file, since: before)
    }
    return stored
  }

  /// The streaks that a package holds as an app stored them, not as an import computed them.
  private static func stored(
    _ entity: EntityName,
    in base: PackageReader
  ) throws -> [(streak: JSONObject, place: String, file: String)] {
    guard base.manifest.entity(entity) != nil else { return [] }
    var found: [(streak: JSONObject, place: String, file: String)] = []
    try base.forEachRecord(of: entity) { line, source in
      do throws(JSONError) {
        guard let streak = try JSONValue(parsing: line).object, streak["asOf"] == nil else {
          return
        }
        found.append((streak, "record \(found.count + 1)", source.file))
      } catch {
        throw PackageError.damaged(path: base.path, reason: "a record is not JSON: \(error)")
      }
    }
    return found
  }

  /// Lets the ledger know every result that the package holds.
  private func adopt(
    _ base: PackageReader,
    streaks: EntityName?,
    into ledger: inout ResultLedger,
    _ result: inout ImportResult
  ) throws {
    for entity in base.manifest.entities where entity.name != streaks {
      try base.forEachRecord(of: entity.name) { line, _ in
        do throws(JSONError) {
          guard let record = try JSONValue(parsing: line).object, record["sharedText"] != nil
          else { return }
          result.heldCount += 1
          let findings = ledger.adopt(record).findings
          result.counts.count(findings)
          result.keep(findings)
        } catch {
          throw PackageError.damaged(path: base.path, reason: "a record is not JSON: \(error)")
        }
      }
    }
  }
}

extension ImportOutcome {
  /// The finding of an entry that was refused.
  fileprivate func finding(of entry: LegacyEntry, in file: LegacyFile) -> Finding {
    Finding(
      code: code,
      severity: .error,
      file: file.name,
      line: entry.number,
      cause: "\(entry.place): \(reason ?? "")",
      found: found,
      cure: cure
    )
  }
}
