package import Files

/// Why a Realm file could not be opened, or a value of it could not be read.
///
/// ``description`` names the place and the cause, without the file's path; ``cure`` says what a person
/// can do.
package enum RealmError: Error, Hashable, Sendable {
  /// The system refused to read the file.
  case file(FileError)
  /// The file has no bytes.
  case empty
  /// The file has no mark of Realm, and does not look like an encrypted one.
  case notRealm
  /// The file looks encrypted, and there is no key.
  case encrypted
  /// A key has this many bytes, and not 64.
  case keyLength(Int)
  /// The key does not open the file.
  case wrongKey(cause: String)
  /// The file ends before something that it names.
  case truncated(RealmPlace, cause: String)
  /// The file has a format that is not read.
  case unsupportedFormat(Int)
  /// An SDK stopped in the middle of converting the file to format 10 or later.
  case interruptedUpgrade(table: String)
  /// The file holds a kind of value that is not read.
  case unsupported(RealmPlace, cause: String)
  /// The file contradicts its own format.
  case damaged(RealmPlace, cause: String)
  /// A value is larger than what is read at once.
  case tooLarge(RealmPlace, cause: String)
}

/// A place in a Realm file, as far as it is known.
package struct RealmPlace: Hashable, Sendable {
  package var table: String?
  package var property: String?
  /// The object's key, or the row's number in formats up to 9.
  package var key: Int64?
  /// The offset of the node, in bytes from the beginning of the (decrypted) file.
  package var offset: Int?

  package init(
    table: String? = nil,
    property: String? = nil,
    key: Int64? = nil,
    offset: Int? = nil
  ) {
    self.table = table
    self.property = property
    self.key = key
    self.offset = offset
  }

  /// Adds what this place does not say itself.
  func completed(by other: RealmPlace) -> RealmPlace {
    RealmPlace(
      table: table ?? other.table,
      property: property ?? other.property,
      key: key ?? other.key,
      offset: offset ?? other.offset
    )
  }
}

extension RealmPlace: CustomStringConvertible {
  package var description: String {
    var parts: [String] = []
    if let table { parts.append(property.map { "\(table).\($0)" } ?? table) }
    if let key { parts.append("key \(key)") }
    if let offset { parts.append("byte \(offset)") }
    return parts.isEmpty ? "the file" : parts.joined(separator: ", ")
  }
}

extension RealmError {
  /// The same error, with what `place` knows more of where it happened.
  func located(_ place: RealmPlace) -> RealmError {
    switch self {
    case .truncated(let known, let cause): .truncated(known.completed(by: place), cause: cause)
    case .unsupported(let known, let cause): .unsupported(known.completed(by: place), cause: cause)
    case .damaged(let known, let cause): .damaged(known.completed(by: place), cause: cause)
    case .tooLarge(let known, let cause): .tooLarge(known.completed(by: place), cause: cause)
    case .file, .empty, .notRealm, .encrypted, .keyLength, .wrongKey, .unsupportedFormat,
      .interruptedUpgrade:
      self
    }
  }
}

extension RealmError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let error): error.description
    case .empty: "the file is empty"
    case .notRealm: "the file has no mark of Realm (T-DB at byte 16)"
    case .encrypted: "the file looks like an encrypted Realm file"
    case .keyLength(let count): "the key of a Realm file has 64 bytes, and this one has \(count)"
    case .wrongKey(let cause): "the key does not open the file: \(cause)"
    case .truncated(let place, let cause): "the file is cut (\(place)): \(cause)"
    case .unsupportedFormat(let number): "Realm's file format \(number) is not read"
    case .interruptedUpgrade(let table):
      "an upgrade to a newer file format was interrupted: the table \(table) is half converted"
    case .unsupported(let place, let cause): "\(place) is not read: \(cause)"
    case .damaged(let place, let cause): "the file is damaged (\(place)): \(cause)"
    case .tooLarge(let place, let cause): "\(place) is too large: \(cause)"
    }
  }

  /// What a person can do about it.
  package var cure: String {
    switch self {
    case .file(let error): error.cure ?? "check that the file can be read"
    case .empty, .notRealm: "give the app's .realm file"
    case .encrypted: "give the app's 64-byte encryption key, as a file or a variable"
    case .keyLength: "give the key as 64 bytes, or as their 128 hexadecimal digits"
    case .wrongKey: "give the key that the app opens this file with"
    case .truncated: "copy the file again, while the app is closed"
    case .unsupportedFormat:
      "formats 2 to 11, 20, 22, 23 and 24 are read: give a file that a release of Realm wrote, or a "
        + "copy that one upgraded"
    case .interruptedUpgrade:
      "open a copy once with the app, or with an SDK of Realm 5.x to 10.x, which ends the upgrade"
    case .unsupported: "leave the property out"
    case .damaged:
      "copy the file again, while the app is closed; a backup may hold a sound copy"
    case .tooLarge: "leave the property out"
    }
  }
}
