import Foundation
import JSONText
import TestSupport
import Testing

/// Names of media that lead out of the container, or to something that is no file, or into a
/// device's backup.
@Suite(.timeLimit(.minutes(3))) struct ForeignMediaTests {
  @Test func `a linked media folder is not followed`() async throws {
    try await withScenario { scenario in
      let inside = "\(scenario.sample.folder)/container/Documents/Avatars"
      let outside = "\(scenario.folder)/outside"
      try FileManager.default.moveItem(atPath: inside, toPath: outside)
      try FileManager.default.createSymbolicLink(atPath: inside, withDestinationPath: outside)
      let (answer, heroes) = try await export(scenario)
      #expect(answer.status == 0, "\(answer)")
      #expect(!heroes.isEmpty)
      #expect(heroes.allSatisfy { $0["state"] != "present" && $0["sha256"] == nil })
      #expect(heroes.contains { $0["state"] == "refused" })
      #expect(answer.findings("media.refused").count == 1)
    }
  }

  @Test func `a link inside the container is reported with a way that finds its files`()
    async throws
  {
    try await withScenario { scenario in
      let inside = "\(scenario.sample.folder)/container/Documents"
      let outside = "\(scenario.folder)/outside"
      try FileManager.default.moveItem(atPath: inside, toPath: outside)
      try FileManager.default.createSymbolicLink(atPath: inside, withDestinationPath: outside)
      let (answer, _) = try await export(scenario)
      let finding = try #require(answer.findings("media.container-link").first)
      #expect(finding["cause"]?.text?.contains(inside) == true)
      // Named as the container, the folder that it leads to would have all files be missing.
      #expect(finding["cure"]?.text?.contains("put the folder itself in its place") == true)
    }
  }

  @Test func `a container that is a link is not followed, and is reported with a cure`()
    async throws
  {
    try await withScenario { scenario in
      let (_, wanted) = try await export(scenario)
      #expect(wanted.contains { $0["state"] == "present" })
      let (inside, outside) = ("\(scenario.sample.folder)/container", "\(scenario.folder)/real")
      try FileManager.default.moveItem(atPath: inside, toPath: outside)
      try FileManager.default.createSymbolicLink(atPath: inside, withDestinationPath: outside)
      try FileManager.default.removeItem(atPath: "\(scenario.folder)/p.ferry")
      let (answer, heroes) = try await export(scenario)
      #expect(answer.status == 0, "\(answer)")
      #expect(!heroes.contains { ["missing", "evicted", "present"].contains($0["state"]) })
      let findings = answer.findings("media.container-link")
      #expect(findings.count == 1)
      #expect(findings.first?["severity"] == "warning")
      #expect(findings.first?["cause"]?.text?.contains(inside) == true)
      #expect(findings.first?["cure"]?.text?.contains("--container") == true)
      let named = "\(scenario.folder)/named.ferry"
      let line = ["export", scenario.sample.store, "--profile", scenario.profile, "-o", named]
      let whole = try await scenario.ferry(line + ["--container", outside]).exits(0)
      #expect(whole.findings("media.container-link").isEmpty)
      #expect(try pictures(named) == wanted)
    }
  }

  @Test(arguments: ["link", "pipe", "socket", "hole"])
  func `a file that is not media is refused, and all others are exported`(kind: String) async throws
  {
    try await withScenario { scenario in
      let folder = "\(scenario.sample.folder)/container/Documents/Avatars"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      let name = try #require(names.first)
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      try Python.run(["-c", Self.making, kind, folder, name])
      let (answer, heroes) = try await export(scenario)
      #expect(answer.status == 0, "\(answer)")
      let refused = heroes.filter { $0["state"] == "refused" }
      #expect(refused.count == 1)
      #expect(refused.allSatisfy { $0["name"]?.text?.hasSuffix(name) == true })
      #expect(heroes.filter { $0["state"] == "present" }.count == names.count - 1)
      #expect(answer.findings("media.refused").count == 1)
    }
  }

  @Test func `a device backup yields its media files`() async throws {
    try await withScenario { scenario in
      let (plain, wanted) = try await export(scenario)
      #expect(plain.status == 0, "\(plain)")
      #expect(wanted.contains { $0["state"] == "present" })
      let backup = "\(scenario.folder)/backup"
      try Python.run([
        "-c", Self.backingUp, scenario.sample.store, "\(scenario.sample.folder)/container", backup,
      ])
      let package = "\(scenario.folder)/b.ferry"
      let line = ["export", backup, "--app", "com.example.stories"]
      for _ in 0..<2 {
        try await scenario.ferry(
          line + ["--profile", scenario.profile, "-o", package]
        ).exits(0)
      }
      #expect(try pictures(package) == wanted)
    }
  }

  @Test func `a name that is not UTF-8 names no file, and the row is reported`() async throws {
    try await withScenario { scenario in
      try scenario.sql(
        "UPDATE ZHERO SET ZAVATARIMAGEPATH = CAST(x'41FF42' AS TEXT) WHERE Z_PK = "
          + "(SELECT min(Z_PK) FROM ZHERO)"
      )
      try await scenario.export(to: "\(scenario.folder)/p.ferry").exits(3)
      let heroes = try PackageLines("\(scenario.folder)/p.ferry").records("Hero")
      let names = heroes.compactMap { $0["avatarImagePath"]?["name"]?.text }
      #expect(names.allSatisfy { !$0.unicodeScalars.contains("\u{FFFD}") })
    }
  }

  /// What became of the heroes' pictures.
  private func export(_ scenario: MigrationScenario) async throws -> (Answer, [JSONValue]) {
    let package = "\(scenario.folder)/p.ferry"
    let answer = try await scenario.export(to: package)
    guard answer.status == 0 else { return (answer, []) }
    return (answer, try pictures(package))
  }

  private func pictures(_ package: String) throws -> [JSONValue] {
    let heroes = try PackageLines(package).records("Hero").compactMap { $0["avatarImagePath"] }
    return heroes.filter { !$0.isNull }
  }

  /// Backs up a store and a container as a device does: every file under the SHA-1 of its path.
  private static let backingUp = """
    import hashlib, os, plistlib, shutil, sqlite3, sys
    store, container, backup = sys.argv[1:]
    domain = "AppDomain-com.example.stories"
    files = []
    for part in ("", "-wal"):
        if os.path.exists(store + part):
            files.append((store + part, "Library/Application Support/default.store" + part))
    for folder, _, names in os.walk(container):
        for name in names:
            path = os.path.join(folder, name)
            files.append((path, os.path.relpath(path, container)))
    os.makedirs(backup)
    plistlib.dump({"IsEncrypted": False}, open(os.path.join(backup, "Manifest.plist"), "wb"))
    db = sqlite3.connect(os.path.join(backup, "Manifest.db"))
    db.execute("CREATE TABLE Files (fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, "
               "flags INTEGER, file BLOB)")
    for path, inner in files:
        name = hashlib.sha1(f"{domain}-{inner}".encode()).hexdigest()
        os.makedirs(os.path.join(backup, name[:2]), exist_ok=True)
        shutil.copyfile(path, os.path.join(backup, name[:2], name))
        db.execute("INSERT INTO Files VALUES (?, ?, ?, 1, NULL)", (name, domain, inner))
    db.commit()
    db.close()
    """

  private static let making = """
    import os, socket, sys
    kind, folder, name = sys.argv[1:]
    os.chdir(folder)
    if kind == "link": os.symlink("/etc/hostname", name)
    elif kind == "pipe": os.mkfifo(name)
    elif kind == "socket": socket.socket(socket.AF_UNIX).bind(name)
    else: os.truncate(os.open(name, os.O_CREAT | os.O_WRONLY), 1 << 40)
    """
}
