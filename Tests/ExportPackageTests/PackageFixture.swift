import ExportPackage
import Files
import Records

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of its own for one test, and a small export to write into it.
final class PackageFixture {
  let folder: String

  init() throws {
    folder = "\(FileManager.default.temporaryDirectory.path())/ferry-\(UUID().uuidString)"
    try Folder.make(folder)
  }

  deinit {
    do throws(FileError) {
      try Folder.remove(folder)
    } catch {
      print("cannot remove \(folder): \(error)")
    }
  }

  var package: String { "\(folder)/PKG" }

  static let source = Digest(repeating: 1)
  static let profile = Digest(repeating: 2)

  static func binding(source: Digest = source) -> PackageBinding {
    PackageBinding(source: source, profile: profile, tool: "1.2.3")
  }

  static let manifest = PackageManifest(
    tool: .init(version: "1.2.3"),
    source: .init(
      kind: "swiftdata",
      store: "S",
      digest: source,
      modelOrigin: "store",
      modelVersions: ["1"]
    ),
    profile: .init(app: "sample", digest: profile),
    entities: [
      .init(
        name: "Owner",
        schema: "owner.json",
        role: "own",
        key: "$id",
        omitted: ["secret"]
      ),
      .init(
        name: "Note",
        schema: nil,
        role: "own",
        key: "id",
        references: [.init(member: "owner", entities: ["Owner"], isToMany: false)]
      ),
      .init(name: "Empty", schema: nil, role: "own", key: "id"),
    ]
  )

  /// Thrown where an export is cut off.
  struct Cut: Error {}

  /// Writes the export, or the first `steps` rows of it.
  @discardableResult
  func write(
    rows: Int = 60,
    steps: Int = .max,
    binding: PackageBinding = binding(),
    path: String? = nil,
    keys: PackageKeys = .none
  ) throws -> PackageManifest {
    let opening = try PackageWriter.open(
      path ?? package,
      binding: binding,
      keys: keys,
      chunkSize: 256
    )
    guard case .writing(let writer) = opening else { throw Cut() }
    return try write(rows: rows, steps: steps, into: writer)
  }

  @discardableResult
  func write(
    rows: Int = 60,
    steps: Int = .max,
    into writer: PackageWriter
  ) throws -> PackageManifest {
    var step = 0
    for entity in ["Owner", "Note"] as [EntityName] {
      let first = writer.lastPlace(of: entity) ?? 0
      for place in (first + 1)..<Int64(rows + 1) {
        guard step < steps else { throw Cut() }
        step += 1
        try add(place, entity, to: writer)
      }
    }
    guard step < steps else { throw Cut() }
    try writer.addSchema("owner.json", Array("{}".utf8))
    return try writer.finish(Self.manifest).manifest
  }

  private func add(_ place: Int64, _ entity: EntityName, to writer: PackageWriter) throws {
    if place % 7 == 3 {
      try writer.reject(Array(#"{"place":\#(place)}"#.utf8), of: entity, place: place)
      return
    }
    if place % 5 == 0 {
      let file = "\(folder)/picture-\(place % 20)"
      if !InputFile.isPresent(file) {
        try WholeFile.replace(file, with: Array("picture \(place % 20)".utf8))
      }
      _ = try writer.addMedia(from: FileSource(file), of: entity)
      try writer.count("media.present", of: entity)
    }
    let line = Array(#"{"$id":"\#(place)","text":"\#(entity) \#(place)"}"#.utf8)
    try line.withUnsafeBytes { bytes in
      try writer.add(bytes, of: entity, place: place)
    }
  }

  /// The content of every file below a folder, by its path.
  static func contents(of root: String) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    var folders = [""]
    while let folder = folders.popLast() {
      for name in try Folder.names(in: root + folder) {
        let path = "\(folder)/\(name)"
        if Folder.exists(root + path) {
          folders.append(path)
        } else {
          found[path] = try InputFile.contents(of: root + path)
        }
      }
    }
    return found
  }
}

extension Digest {
  init(repeating byte: UInt8) {
    guard let digest = Digest(bytes: repeatElement(byte, count: 32)) else {
      preconditionFailure("32 bytes are a digest")
    }
    self = digest
  }
}
