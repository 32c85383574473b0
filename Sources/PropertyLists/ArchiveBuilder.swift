package import JSONText
import TextCodecs

extension KeyedArchive {
  /// Archives a value that has the form of ``json(limits:)``.
  ///
  /// Texts, numbers, arrays, dictionaries, sets, dates, data, UUIDs and URLs are archived. The outermost object gets
  /// the class that it has in `model`, an archive of the same attribute.
  ///
  /// - Returns: A binary property list, or `nil` if the value, or `model`, holds objects of another class, or if
  ///   the archive does not read back as the value.
  package static func bytes(archiving value: JSONValue, like model: KeyedArchive?) -> [UInt8]? {
    var builder = ArchiveBuilder()
    guard let root = builder.root(value, like: model) else { return nil }
    let bytes = builder.list(root: root).binary
    do {
      let again = try JSONValue(parsing: KeyedArchive(bytes: bytes).json())
      return again == value ? bytes : nil
    } catch {
      return nil
    }
  }
}

extension PropertyList {
  /// The list of a value that has the form of ``PropertyListJSON``; `nil` where it does not read back so.
  package init?(json value: JSONValue) {
    guard let list = Self.list(value), let text = PropertyListJSON.bytes(list),
      Self.parsed(text) == value
    else { return nil }
    self = list
  }

  private static func parsed(_ text: [UInt8]) -> JSONValue? {
    do throws(JSONError) { return try JSONValue(parsing: text) } catch { return nil }
  }

  private static func list(_ value: JSONValue) -> PropertyList? {
    if let scalar = scalar(value) { return scalar }
    switch value {
    case .array(let elements):
      let parts = elements.compactMap(list)
      return parts.count == elements.count ? .array(parts) : nil
    case .object(let object):
      if let elements = value["$set"]?.array {
        return .set(elements.compactMap(list))
      }
      if let date = value["$date"], let seconds = ArchiveBuilder.seconds(date) {
        return .date(secondsSinceReferenceDate: seconds)
      }
      if let bytes = value["$base64"]?.text.flatMap(ArchiveBuilder.data) { return .data(bytes) }
      let members = object.members.compactMap { member in
        list(member.value).map { Member(name: ArchiveBuilder.plain(member.name), value: $0) }
      }
      return members.count == object.members.count ? .dictionary(members) : nil
    case .null: return .null
    case .boolean, .number, .string: return nil
    }
  }

  /// A text, a number or a truth value.
  fileprivate static func scalar(_ value: JSONValue) -> PropertyList? {
    switch value {
    case .boolean(let flag): .boolean(flag)
    case .string(let text): .string(text)
    case .number(let number):
      number.int64.map { .integer($0) } ?? number.double.map { .real($0) }
    case .null, .array, .object: nil
    }
  }
}

/// The objects of an archive while it is made.
struct ArchiveBuilder {
  private var objects: [PropertyList] = [.string("$null")]
  /// Where the record of each class is, by the names of the class and its ancestors.
  private var classes: [[String]: PropertyList] = [:]

  func list(root: PropertyList) -> PropertyList {
    .dictionary([
      .init(name: "$version", value: .integer(100_000)),
      .init(name: "$archiver", value: .string("NSKeyedArchiver")),
      .init(name: "$top", value: .dictionary([.init(name: "root", value: root)])),
      .init(name: "$objects", value: .array(objects)),
    ])
  }

  /// Adds the outermost object, with the class that it has in `model`.
  mutating func root(_ value: JSONValue, like model: KeyedArchive?) -> PropertyList? {
    guard let model else { return add(value, as: nil) }
    do throws(PropertyListError) {
      guard model.top.count == 1, let root = model.root, try !model.holdsOwnClasses() else {
        return nil
      }
      return add(value, as: try model.classNames(of: model.resolved(root)))
    } catch {
      return nil
    }
  }

  /// Adds an object; `nil` for one that is not archived.
  ///
  /// `names` are its class and those above it, where the class is not the usual one.
  private mutating func add(_ value: JSONValue, as names: [String]?) -> PropertyList? {
    if let scalar = PropertyList.scalar(value) { return names == nil ? append(scalar) : nil }
    switch value {
    case .null: return instance(of: .null, names, [])
    case .array(let elements): return collection(elements, .array, names)
    case .object(let object):
      let wrapped = object.members.first.flatMap { object.count == 1 ? $0 : nil }
      if let wrapped, wrapped.name.hasPrefix("$"), !wrapped.name.hasPrefix("$$") {
        return add(wrapped.name, wrapped.value, names)
      }
      return dictionary(object, names)
    case .boolean, .number, .string: return nil
    }
  }

  /// Adds a value whose kind is its name.
  private mutating func add(
    _ name: String,
    _ value: JSONValue,
    _ names: [String]?
  ) -> PropertyList? {
    switch name {
    case "$set": return value.array.flatMap { collection($0, .set, names) }
    case "$orderedSet": return value.array.flatMap { orderedSet($0, names) }
    case "$date":
      return Self.seconds(value).flatMap { seconds in
        instance(of: .date, names, [.init(name: "NS.time", value: .real(seconds))])
      }
    case "$base64":
      guard names == nil else { return nil }
      return value.text.flatMap(Self.data).map { append(.data($0)) }
    case "$uuid":
      return value.text.flatMap(Self.uuid).flatMap { bytes in
        instance(of: .uuid, names, [.init(name: "NS.uuidbytes", value: .data(bytes))])
      }
    case "$url":
      guard let text = value.text else { return nil }
      let relative = append(.string(text))
      return instance(
        of: .url,
        names,
        [.init(name: "NS.base", value: .uid(0)), .init(name: "NS.relative", value: relative)]
      )
    default: return nil
    }
  }

  private mutating func append(_ object: PropertyList) -> PropertyList {
    objects.append(object)
    return .uid(objects.count - 1)
  }

  private mutating func all(_ values: [JSONValue]) -> [PropertyList]? {
    var parts: [PropertyList] = []
    for value in values {
      guard let part = add(value, as: nil) else { return nil }
      parts.append(part)
    }
    return parts
  }

  private mutating func collection(
    _ elements: [JSONValue],
    _ kind: ArchivedClass,
    _ names: [String]?
  ) -> PropertyList? {
    guard let parts = all(elements) else { return nil }
    return instance(of: kind, names, [.init(name: "NS.objects", value: .array(parts))])
  }

  private mutating func orderedSet(_ elements: [JSONValue], _ names: [String]?) -> PropertyList? {
    guard let parts = all(elements) else { return nil }
    let members = parts.enumerated().map { place, part in
      PropertyList.Member(name: "NS.object.\(place)", value: part)
    }
    return instance(of: .orderedSet, names, members)
  }

  private mutating func dictionary(_ object: JSONObject, _ names: [String]?) -> PropertyList? {
    let keys = object.members.map { append(.string(Self.plain($0.name))) }
    guard object["$class"] == nil, let values = all(object.members.map(\.value)) else { return nil }
    return instance(
      of: .dictionary,
      names,
      [
        .init(name: "NS.keys", value: .array(keys)),
        .init(name: "NS.objects", value: .array(values)),
      ]
    )
  }

  /// Adds an object with its class; `nil` where the class given is not of that kind.
  private mutating func instance(
    of kind: ArchivedClass,
    _ names: [String]?,
    _ members: [PropertyList.Member]
  ) -> PropertyList? {
    let names = names ?? [kind.rawValue, "NSObject"]
    guard names.lazy.compactMap({ ArchivedClass(name: $0) }).first == kind else { return nil }
    let record = classRecord(names)
    return append(.dictionary(members + [.init(name: "$class", value: record)]))
  }

  private mutating func classRecord(_ names: [String]) -> PropertyList {
    if let found = classes[names] { return found }
    let record = append(
      .dictionary([
        .init(name: "$classname", value: .string(names[0])),
        .init(name: "$classes", value: .array(names.map { .string($0) })),
      ])
    )
    classes[names] = record
    return record
  }

  // MARK: - Values of one text

  /// The name of a member, which has one `$` more in JSON where it begins with one.
  static func plain(_ name: String) -> String {
    name.hasPrefix("$$") ? String(name.dropFirst()) : name
  }

  static func data(_ text: String) -> [UInt8]? { Base64.bytes(padded: Array(text.utf8)) }

  /// Seconds since 2001-01-01T00:00:00Z.
  static func seconds(_ value: JSONValue) -> Double? {
    if let number = value.double { return number }
    return value.text.flatMap { Timestamp.microseconds($0) }.map { Double($0) / 1_000_000 }
  }

  private static func uuid(_ text: String) -> [UInt8]? {
    guard UUIDText.isUUID(text.utf8) else { return nil }
    return Hexadecimal.bytes(text.utf8.filter { $0 != UInt8(ascii: "-") }, .eitherCase)
  }
}

extension KeyedArchive {
  /// Whether any object is of a class of the app's own, or of one that is not understood.
  fileprivate func holdsOwnClasses() throws(PropertyListError) -> Bool {
    for object in objects {
      guard let names = try classNames(of: object) else { continue }
      guard let own = names.first, ArchivedClass.isOfApple(own),
        names.contains(where: { ArchivedClass(name: $0) != nil })
      else { return true }
    }
    return false
  }
}
