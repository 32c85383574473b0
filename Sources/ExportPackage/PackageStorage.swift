import AgeEncryption
import Files
import JSONText

/// The files of a package by their names in it, whether they lie in the open or encrypted.
struct PackageStorage: Sendable {
  let root: String
  /// `nil` for a package in the open.
  let seal: PackageSeal?

  init(_ root: String, seal: PackageSeal?) {
    self.root = root
    self.seal = seal
  }

  /// Where a file lies in the package's folder.
  func place(of name: String) -> String { seal?.place(of: name) ?? name }

  /// Where a file lies on this machine, whether it is there or not.
  func path(of name: String) -> String { "\(root)/\(place(of: name))" }

  /// The folder in which the folders of media files lie.
  var mediaFolder: String { seal == nil ? "media/sha256" : "media" }

  /// Where a file's plain bytes are read from.
  func source(_ name: String) -> FileSource {
    FileSource(path(of: name), opening: seal.map { AgeOpening(identities: $0.identities) })
  }

  /// How many plain bytes a file has, by its size on the disk alone; `nil` for one that is not whole.
  func size(of name: String) throws(FileError) -> Int64? {
    let size = try InputFile(path(of: name)).size()
    guard let seal else { return size }
    return try? AgeLayout.plainSize(ofFile: size, recipientCount: seal.recipients.count)
  }

  /// Whether a file, or a folder of the package in which it lies, is a link: what that leads to is no
  /// part of the package.
  ///
  /// `folders` are those that were seen to be none, and are not looked at for each of their files.
  func isLink(_ name: String, knowing folders: inout Set<String>) -> Bool {
    let path = path(of: name)
    let folder = Folder.parentPath(of: path)
    if !folders.contains(folder) {
      var paths: [String] = []
      for part in place(of: name).split(separator: "/").dropLast() {
        paths.append("\(paths.last ?? root)/\(part)")
      }
      guard Folder.firstLink(among: paths) == nil else { return true }
      folders.insert(folder)
    }
    return Folder.firstLink(among: [path]) != nil
  }

  /// Begins a new file.
  func create(_ name: String) throws(FileError) -> PackageOutput {
    try PackageOutput(creating: path(of: name), for: seal?.recipients)
  }
}

extension PackageStorage {
  /// What lies in the open in an encrypted package: that it is one, and in which form.
  static var marker: [UInt8] {
    let json: JSONValue = [
      "encryption": .string(encryption), "format": .string(PackageFormat.current.description),
    ]
    return Array(json.prettyText.utf8) + [0x0A]
  }

  private static let encryption = "age-encryption.org/v1"

  /// Whether a folder is an encrypted package.
  static func isSealed(_ root: String) -> Bool {
    InputFile.isPresent("\(root)/\(PackagePath.marker)")
      && !InputFile.isPresent("\(root)/\(PackagePath.manifest)")
  }

  /// Opens the storage of a package that is there.
  init(opening root: String, with identities: [AgeIdentity]) throws(PackageError) {
    guard Self.isSealed(root) else {
      self.init(root, seal: nil)
      return
    }
    try Self.checkMarker(of: root)
    guard !identities.isEmpty else { throw .sealed(path: root) }
    let bytes = try Self.contents(of: PackagePath.sealing, in: root, with: identities)
    guard let json = try? JSONValue(parsing: bytes),
      let seal = PackageSeal(json, identities: identities)
    else { throw .damaged(path: root, reason: "\(PackagePath.sealing) is not whole") }
    self.init(root, seal: seal)
  }

  private static func checkMarker(of root: String) throws(PackageError) {
    let bytes = try files(InputFile.contents(of: "\(root)/\(PackagePath.marker)", limit: 1 << 16))
    guard let json = try? JSONValue(parsing: bytes), json["encryption"]?.text == encryption,
      let text = json["format"]?.text, let format = PackageFormat(text)
    else { throw .damaged(path: root, reason: "\(PackagePath.marker) is not whole") }
    guard format.major <= PackageFormat.current.major else {
      throw .tooNew(path: root, format: text, supported: PackageFormat.current.description)
    }
  }

  /// The first file that is opened of a package, by which it shows whether an identity fits.
  private static func contents(
    of name: String,
    in root: String,
    with identities: [AgeIdentity]
  ) throws(PackageError) -> [UInt8] {
    let path = "\(root)/\(name)\(PackagePath.sealedEnding)"
    guard InputFile.isPresent(path) else {
      throw .damaged(path: root, reason: "\(name)\(PackagePath.sealedEnding) is missing")
    }
    let file = try files(InputFile(path))
    let content: AgeContent
    do throws(AgeContent.Failure) {
      content = try AgeContent(file, identities: identities)
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .age(.noIdentityFits): throw .notForUs(path: root)
      case .age(let error):
        throw .damaged(path: root, reason: "\(name)\(PackagePath.sealedEnding): \(error)")
      }
    }
    return try files(InputFile(reading: content, path: path).contents(limit: 1 << 20))
  }
}

extension PackageStorage {
  /// The names of all files that lie in the folder, by their bytes, but for the journal and the list of
  /// their digests.
  func outerNames() throws(FileError) -> [String] {
    var names: [String] = []
    func visit(_ folder: String) throws(FileError) {
      for name in try Folder.names(in: folder.isEmpty ? root : "\(root)/\(folder)") {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        if Folder.exists("\(root)/\(path)") {
          try visit(path)
        } else if path != PackagePath.sums, path != PackagePath.progress {
          names.append(path)
        }
      }
    }
    try visit("")
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
