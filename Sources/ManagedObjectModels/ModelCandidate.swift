import Files
import PropertyLists

/// One version of a model that a person gave, not read before it is asked for.
package struct ModelCandidate: Hashable, Sendable {
  /// How a model is written.
  package enum Form: Hashable, Sendable {
    /// A keyed archive (`.mom`).
    case compiled
    /// XML (`contents` of an `.xcdatamodel`).
    case source
  }

  /// The file the model is in.
  package let path: String
  /// What the version is called.
  package let name: String
  package let form: Form
  /// Whether the bundle calls this version the current one.
  package let isCurrent: Bool
  /// The hash of each entity's definition, by its name, where the bundle identifies them.
  package let versionHashes: [String: [UInt8]]?

  /// Reads the model.
  package func model() throws(ModelFault) -> ManagedObjectModel {
    let bytes = try GivenModels.contents(of: path)
    do throws(ModelFault) {
      switch form {
      case .compiled: return try ManagedObjectModel(compiled: bytes)
      case .source: return try ModelSource.model(bytes)
      }
    } catch {
      throw error.at(path)
    }
  }
}

/// Finds the models in what a person gave.
package enum GivenModels {
  /// A model is a few hundred kilobytes at most.
  private static let largestFile: Int64 = 64 << 20
  private static let greatestVersionCount = 10_000

  /// The versions of the model at `path`, not yet read.
  ///
  /// The path is that of a `.mom`, `.momd`, `.xcdatamodel`, `.xcdatamodeld`, or of the file
  /// `contents` of a source model. Its name does not count, except inside of bundles.
  ///
  /// - Throws: ``ModelFault`` when it is missing, with what is there instead.
  package static func candidates(at path: String) throws(ModelFault) -> [ModelCandidate] {
    let path = withoutSlash(path)
    if Folder.exists(path) { return try candidates(inFolder: path) }
    let hashes = try VersionInfo(besideModel: path)
    let name = stem(of: path)
    return [
      try candidate(
        file: path,
        name: name,
        isCurrent: hashes?.currentName == name,
        versionHashes: hashes?.hashes[name]
      )
    ]
  }

  private static func candidates(inFolder path: String) throws(ModelFault) -> [ModelCandidate] {
    let names = try names(in: path)
    if names.contains("contents") {
      return [
        try candidate(file: path + "/contents", name: stem(of: path), isCurrent: true)
      ]
    }
    if names.contains("elements") { throw oldSource(path) }
    let sources = names.filter { $0.hasSuffix(".xcdatamodel") }
    if !sources.isEmpty { return try versions(sources, ofSource: path) }
    let compiled = names.filter { $0.hasSuffix(".mom") }
    guard !compiled.isEmpty else { throw noModel(path, names: names) }
    let info = try VersionInfo(inFolder: path)
    var candidates: [ModelCandidate] = []
    for name in compiled {
      let stem = stem(of: name)
      candidates.append(
        try candidate(
          file: path + "/" + name,
          name: stem,
          isCurrent: info?.currentName == stem || compiled.count == 1,
          versionHashes: info?.hashes[stem]
        )
      )
    }
    return candidates
  }

  private static func versions(
    _ names: [String],
    ofSource path: String
  ) throws(ModelFault) -> [ModelCandidate] {
    var current: String?
    let mark = path + "/.xccurrentversion"
    if InputFile.isPresent(mark) {
      current = try list(mark)["_XCCurrentVersionName"]?.text
    }
    var candidates: [ModelCandidate] = []
    for name in names {
      let folder = path + "/" + name
      guard InputFile.isPresent(folder + "/contents") else {
        if InputFile.isPresent(folder + "/elements"), names.count == 1 { throw oldSource(folder) }
        continue
      }
      candidates.append(
        try candidate(
          file: folder + "/contents",
          name: stem(of: name),
          isCurrent: current == name || names.count == 1
        )
      )
    }
    guard !candidates.isEmpty else { throw noModel(path, names: names) }
    return candidates
  }

  /// The candidate in a file, by the file's first bytes.
  private static func candidate(
    file: String,
    name: String,
    isCurrent: Bool,
    versionHashes: [String: [UInt8]]? = nil
  ) throws(ModelFault) -> ModelCandidate {
    ModelCandidate(
      path: file,
      name: name,
      form: try form(of: file),
      isCurrent: isCurrent,
      versionHashes: versionHashes
    )
  }

  private static func form(of path: String) throws(ModelFault) -> ModelCandidate.Form {
    let start: [UInt8]
    do throws(FileError) {
      let file = try InputFile(path)
      start = try file.bytes(at: 0, count: Int(min(file.size(), 4096)))
    } catch {
      throw ModelFault(error.description, cure: "check the path")
    }
    if start.starts(with: "momv2$[]".utf8) { throw optimized(path) }
    switch PropertyListForm(start) {
    case .binary where path.hasSuffix("elements"):
      throw oldSource(path)
    case .binary: return .compiled
    case .xml where String(decoding: start, as: UTF8.self).contains("<plist"):
      // Compiled models of the first years may be archives in XML.
      return .compiled
    case .xml: return .source
    default:
      let text = String(decoding: start.prefix(64), as: UTF8.self)
      if text.drop(while: \.isWhitespace).hasPrefix("<model") { return .source }
      throw ModelFault("it is neither a compiled model nor the source of one", path: path)
    }
  }
}

// MARK: - Refusals

extension GivenModels {
  private static func optimized(_ path: String) -> ModelFault {
    let twin = path.hasSuffix(".omo") ? String(path.dropLast(3)) + "mom" : nil
    let cure =
      if let twin, InputFile.isPresent(twin) {
        "give \(twin), which lies beside it and holds the same model"
      } else {
        "give the .mom of the same name, or the whole .momd"
      }
    return ModelFault(
      "it is an optimized model (.omo), whose form only Core Data itself reads",
      path: path,
      cure: cure
    )
  }

  private static func oldSource(_ path: String) -> ModelFault {
    ModelFault(
      "it is the source of a model as Xcode 3 wrote it (an archive of Xcode's own classes)",
      path: path,
      cure: "give the compiled model (.mom or .momd) from the built app, or open and save the "
        + "source once with a newer Xcode"
    )
  }

  private static func noModel(_ path: String, names: [String]) -> ModelFault {
    if let name = names.first(where: { $0.hasSuffix(".omo") }) {
      return optimized(path + "/" + name)
    }
    return ModelFault(
      "the folder holds no model (no .mom, no .xcdatamodel and no file “contents”)",
      path: path
    )
  }
}

// MARK: - Files

extension GivenModels {
  static func contents(of path: String) throws(ModelFault) -> [UInt8] {
    let size: Int64
    let bytes: [UInt8]
    do throws(FileError) {
      size = try InputFile(path).size()
      bytes = size <= largestFile ? try InputFile.contents(of: path) : []
    } catch {
      throw ModelFault(error.description, cure: "check the path")
    }
    guard size <= largestFile else {
      throw ModelFault("it has \(size) bytes, and no model is that large", path: path)
    }
    return bytes
  }

  static func list(_ path: String) throws(ModelFault) -> PropertyList {
    let bytes = try contents(of: path)
    do throws(PropertyListError) {
      return try PropertyList(bytes: bytes)
    } catch {
      throw ModelFault("\(error)", path: path)
    }
  }

  private static func names(in path: String) throws(ModelFault) -> [String] {
    let names: [String]
    do throws(FileError) {
      names = try Folder.names(in: path)
    } catch {
      throw ModelFault(error.description, cure: "check the path")
    }
    guard names.count <= greatestVersionCount else {
      throw ModelFault("the folder holds \(names.count) files, too many for a model", path: path)
    }
    return names.sorted(by: precedes)
  }

  private static func withoutSlash(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// The name of a version: that of its file without the extension.
  static func stem(of path: String) -> String {
    let name = Folder.lastName(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}
