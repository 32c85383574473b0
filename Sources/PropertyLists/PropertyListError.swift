package import Files
package import XMLAccess

/// Why bytes could not be read as a property list or as a keyed archive.
package enum PropertyListError: Error, Hashable, Sendable {
  /// The bytes are a property list of a form that is not read.
  case unsupportedForm(PropertyListForm)
  /// The bytes do not begin like any property list.
  case unknownForm
  /// A binary list breaks the rules of its format at this offset.
  case malformed(offset: Int, reason: String)
  /// A list in XML is damaged, or no property list.
  case malformedXML(XMLError)
  /// An old-style list breaks the rules of its format in this line.
  case malformedText(line: Int, reason: String)
  /// A dictionary has a name twice, so that one value would be lost.
  case repeatedName(name: String, place: String)
  /// A list, or an archive, is larger than it may be; the text names the limit.
  case beyondLimit(String)
  /// The list is sound, but it is not the keyed archive that was expected.
  case notAnArchive(reason: String)
  /// An object of a keyed archive breaks the rules of archives.
  case malformedArchive(object: Int, reason: String)
  /// The system does not give the file of the list, or takes no scratch file.
  case file(FileError)
}

extension PropertyListError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unsupportedForm(let form):
      "\(form.words) cannot be read; convert it to a binary property list on a Mac"
    case .unknownForm:
      "the bytes are not a property list"
    case .malformed(let offset, let reason):
      "the binary property list is damaged at byte \(offset): \(reason)"
    case .malformedXML(let error):
      "the XML property list cannot be read: \(error)"
    case .malformedText(let line, let reason):
      "the old-style property list is damaged in line \(line): \(reason)"
    case .repeatedName(let name, let place):
      "\(place): the name “\(name.prefix(60))” comes twice in one dictionary; "
        + "take one of the two out of a copy"
    case .beyondLimit(let limit):
      "the property list is larger than it may be: \(limit)"
    case .notAnArchive(let reason):
      "the property list is not a keyed archive: \(reason)"
    case .malformedArchive(let object, let reason):
      "object \(object) of the keyed archive is malformed: \(reason)"
    case .file(let error): error.description
    }
  }
}
