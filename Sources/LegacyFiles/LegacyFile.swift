import Files
package import ResultText

/// A legacy file, ready to be read as one of the forms.
package struct LegacyFile: Sendable {
  package let path: String
  /// What messages and records call it: its last name.
  package let name: String
  package let form: LegacyForm
  /// Whether a person said the form.
  package let isFormGiven: Bool
  /// The copy of the chat that the file holds packed, or as a page.
  private let unpacked: UnpackedFile?

  /// How many bytes the form is recognised by.
  private static let recognisedBy = 1 << 16

  /// Takes a file, and recognises its form where it is not given.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - name: What it is called, where that is not its last name.
  ///   - form: Its form, where a person says it.
  /// - Throws: ``LegacyFileError`` when it cannot be opened, or is of no form that is read.
  package init(
    _ path: String,
    name: String? = nil,
    form: LegacyForm? = nil
  ) throws(LegacyFileError) {
    let file = name ?? Folder.lastName(of: path)
    isFormGiven = form != nil
    var bytes = try Self.firstBytes(of: path)
    let mayBePacked = form == nil || form == .chat
    unpacked = mayBePacked ? try UnpackedFile.unpack(path, bytes, file: file) : nil
    self.path = unpacked?.path ?? path
    self.name = unpacked.map { $0.name.isEmpty ? file : "\(file)/\($0.name)" } ?? file
    if unpacked != nil { bytes = try Self.firstBytes(of: self.path) }
    if let form {
      self.form = form
    } else {
      guard !bytes.isEmpty else {
        throw .unknownForm(
          file: self.name,
          reason: "the file is empty",
          cure: "take a whole copy, or give the form with --as"
        )
      }
      let isWhole = bytes.count < Self.recognisedBy
      self.form = try LegacyForm.recognise(bytes, file: self.name, isWhole: isWhole)
      if self.form == .text, !isWhole { try surveySpeakers() }
    }
  }

  /// Refuses a long text of which lines are of several people.
  private func surveySpeakers() throws(LegacyFileError) {
    let narrowed = try NarrowedFile(path, name: name)
    var file = try Self.open(narrowed?.path ?? path)
    var survey = SpeakerSurvey()
    while true {
      let more: [UInt8]
      do throws(FileError) { more = try file.bytes(upTo: Self.recognisedBy) } catch {
        throw .file(error)
      }
      survey.add(more)
      if let found = survey.found { throw .ofSeveral(name, found) }
      if more.isEmpty { break }
    }
    survey.endText()
    if let found = survey.found { throw .ofSeveral(name, found) }
    withExtendedLifetime(narrowed) {}
  }

  /// The same file under another name.
  package func named(_ name: String) -> LegacyFile {
    LegacyFile(
      path: path,
      name: name,
      form: form,
      isFormGiven: isFormGiven,
      unpacked: unpacked
    )
  }

  private init(
    path: String,
    name: String,
    form: LegacyForm,
    isFormGiven: Bool,
    unpacked: UnpackedFile?
  ) {
    (self.path, self.name, self.form, self.isFormGiven) = (path, name, form, isFormGiven)
    self.unpacked = unpacked
  }

  private static func firstBytes(of path: String) throws(LegacyFileError) -> [UInt8] {
    do throws(FileError) {
      var file = try InputFile(path)
      return try file.bytes(upTo: recognisedBy)
    } catch {
      throw .file(error)
    }
  }

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - options: What a person or a profile says about it.
  ///   - catalogue: The games, by which a plain text is cut into its results.
  /// - Returns: What gives the file's items, from the first on.
  /// - Throws: ``LegacyFileError`` when it cannot be opened, or is not of its form.
  package func reader(
    _ options: LegacyOptions,
    catalogue: GameCatalogue
  ) throws(LegacyFileError) -> any LegacyReader {
    let reader = try ownReader(options, catalogue)
    return unpacked.map { UnpackedReader($0, reader) } ?? reader
  }

  private func ownReader(
    _ options: LegacyOptions,
    _ catalogue: GameCatalogue
  ) throws(LegacyFileError) -> any LegacyReader {
    switch form {
    case .plist: return try StructuredFileReader(list: path, name: name, options)
    case .xml: return try XMLTextReader(path: path, name: name, options)
    case .sms: return try MessageBackupReader(path: path)
    case .json, .jsonl, .csv, .chat, .text: break
    }
    guard let narrowed = try NarrowedFile(path, name: name) else {
      return try textReader(of: path, options, catalogue)
    }
    return NarrowedReader(narrowed, try textReader(of: narrowed.path, options, catalogue))
  }

  /// Begins to read a text in UTF-8.
  private func textReader(
    of path: String,
    _ options: LegacyOptions,
    _ catalogue: GameCatalogue
  ) throws(LegacyFileError) -> any LegacyReader {
    switch form {
    case .json: return try StructuredFileReader(json: path, name: name, options)
    case .jsonl: return JSONLinesReader(try Self.open(path), name: name, options: options)
    case .csv: return try TableReader(try Self.open(path), name: name, options: options)
    case .chat: return try ChatReader(path: path, name: name, order: options.dateOrder)
    case .plist, .xml, .sms, .text:
      return PlainTextReader(try Self.open(path), name: name, catalogue: catalogue)
    }
  }

  private static func open(_ path: String) throws(LegacyFileError) -> InputFile {
    do throws(FileError) { return try InputFile(path) } catch { throw .file(error) }
  }
}
