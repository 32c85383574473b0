import Foundation
import Testing

/// What a release is made with.
struct ReleaseTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func materials(_ resolved: String, _ words: [String]) throws -> [String: Any] {
    let file = FileManager.default.temporaryDirectory.appending(path: "resolved-\(UUID())")
    try Data(resolved.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["python3", Self.root.appending(path: ".ci/sbom.py").path, file.path] + words
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private static let resolved = """
    {"version": 3, "pins": [
      {"identity": "yams", "kind": "remoteSourceControl",
       "location": "https://github.com/jpsim/Yams",
       "state": {"revision": "51b5127c7fb6ffac106ad6d199aaa33c5024895f", "version": "6.2.2"}},
      {"identity": "grdb.swift", "kind": "remoteSourceControl",
       "location": "https://github.com/groue/GRDB.swift.git",
       "state": {"revision": "a60dcff33d97a98b21425f1894587145d3efda50"}}]}
    """

  @Test func `the bill of materials names every package with its revision, and every library`()
    throws
  {
    let document = try materials(
      Self.resolved,
      ["0.1.0", "1a2b3c4d5e6f", "1700000000", "6.3.1", "libsqlite3.so.0"]
    )
    #expect(document["spdxVersion"] as? String == "SPDX-2.3")
    let packages = try #require(document["packages"] as? [[String: Any]])
    let places = packages.compactMap { $0["downloadLocation"] as? String }
    #expect(
      places.contains(
        "git+https://github.com/jpsim/Yams@51b5127c7fb6ffac106ad6d199aaa33c5024895f"
      )
    )
    #expect(places.contains { $0.hasPrefix("git+https://github.com/groue/GRDB.swift@a60dcff3") })
    #expect(packages.compactMap { $0["name"] as? String }.contains("libsqlite3.so.0"))
    let swift = packages.first { $0["name"] as? String == "swift" }
    #expect(swift?["versionInfo"] as? String == "6.3.1")
    let names = Set(packages.compactMap { $0["SPDXID"] as? String })
    #expect(names.count == packages.count)
    for relation in try #require(document["relationships"] as? [[String: String]]) {
      #expect(names.contains(relation["relatedSpdxElement"] ?? ""))
    }
    let creation = try #require(document["creationInfo"] as? [String: Any])
    #expect(creation["created"] as? String == "2023-11-14T22:13:20Z")
  }

  @Test func `the same commit gives the same bill of materials`() throws {
    let words = ["0.1.0", "1a2b3c4d5e6f", "1700000000", "6.3.1"]
    let first = try materials(Self.resolved, words) as NSDictionary
    #expect(first == (try materials(Self.resolved, words) as NSDictionary))
  }

  #if os(Linux)
  @Test func `a release keeps ICU's rules of all languages, and names for people in English alone`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "icu-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", Self.root.appending(path: ".ci/icu-data.py").path,
      folder.appending(path: "icu-data.s").path,
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let data = try Data(contentsOf: folder.appending(path: "icu-data.dat"))
    func holds(_ name: String) -> Bool { data.range(of: Data("/\(name)\0".utf8)) != nil }
    for kept in ["root.res", "coll/de.res", "zoneinfo64.res", "nfkc.nrm", "lang/en.res"] {
      #expect(holds(kept), "\(kept)")
    }
    for left in ["lang/de.res", "zone/fr.res", "brkitr/thaidict.dict"] {
      #expect(!holds(left), "\(left)")
    }
  }
  #endif

  @Test func `the archive, the formula and the products have the same programs`() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }
    let release = try text(".ci/release.sh")
    let line = try #require(release.firstMatch(of: /\nprograms="([^"]*)"/)).output.1
    #expect(line == "ferry ferry-backend")
    let formula = try text("Samples/ferry.rb")
    #expect(formula.contains("%w[\(line)]"))
    let manifest = try text("Package.swift")
    for program in line.split(separator: " ") {
      #expect(manifest.contains(".executable(name: \"\(program)\", targets: [\"\(program)\"])"))
    }
    let materials = try text(".ci/sbom.py")
    #expect(materials.contains("the programs ferry and ferry-backend"))
  }

  @Test func `the image and the formula install the build's dependencies`() throws {
    let needed = try String(
      contentsOf: Self.root.appending(path: ".ci/packages.sh"),
      encoding: .utf8
    )
    let image = try String(
      contentsOf: Self.root.appending(path: "Samples/Dockerfile"),
      encoding: .utf8
    )
    let formula = try String(
      contentsOf: Self.root.appending(path: "Samples/ferry.rb"),
      encoding: .utf8
    )
    let line = try #require(needed.firstMatch(of: /\nlibraries="([^"]*)"/)).output.1
    for library in line.split(separator: " ") { #expect(image.contains(library)) }
    for library in ["pcre2", "sqlite", "libxml2", "zlib"] {
      #expect(formula.contains("\"\(library)\""))
    }
  }
}
