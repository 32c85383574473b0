import Foundation
import JSONText
import TestSupport
import Testing

/// Names of media that lead out of the container, or to something that is no file.
@Suite(.timeLimit(.minutes(3))) struct ForeignMediaTests {
  @Test func `a linked folder leads nowhere`() async throws {
    try await withCrossing { crossing in
      let inside = "\(crossing.sample.folder)/container/Documents/Avatars"
      let outside = "\(crossing.folder)/outside"
      try FileManager.default.moveItem(atPath: inside, toPath: outside)
      try FileManager.default.createSymbolicLink(atPath: inside, withDestinationPath: outside)
      let (answer, heroes) = try await export(crossing)
      #expect(answer.status == 0, "\(answer.standardError)")
      #expect(!heroes.isEmpty)
      #expect(heroes.allSatisfy { $0["state"] != "present" && $0["sha256"] == nil })
      #expect(heroes.contains { $0["state"] == "refused" })
      #expect(answer.findings("media.refused").count == 1)
    }
  }

  @Test(arguments: ["link", "pipe", "socket", "hole"])
  func `what is no file of media is refused, and all others are exported`(kind: String) async throws
  {
    try await withCrossing { crossing in
      let folder = "\(crossing.sample.folder)/container/Documents/Avatars"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      let name = try #require(names.first)
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      try Python.run(["-c", Self.making, kind, folder, name])
      let (answer, heroes) = try await export(crossing)
      #expect(answer.status == 0, "\(answer.standardError)")
      let refused = heroes.filter { $0["state"] == "refused" }
      #expect(refused.count == 1)
      #expect(refused.allSatisfy { $0["name"]?.text?.hasSuffix(name) == true })
      #expect(heroes.filter { $0["state"] == "present" }.count == names.count - 1)
      #expect(answer.findings("media.refused").count == 1)
    }
  }

  /// What became of the heroes' pictures.
  private func export(_ crossing: Crossing) async throws -> (Answer, [JSONValue]) {
    let package = "\(crossing.folder)/p.ferry"
    let answer = try await crossing.export(to: package)
    guard answer.status == 0 else { return (answer, []) }
    let heroes = try PackageLines(package).records("Hero").compactMap { $0["avatarImagePath"] }
    return (answer, heroes.filter { !$0.isNull })
  }

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
