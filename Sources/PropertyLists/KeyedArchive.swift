/// What `NSKeyedArchiver` writes: a table of objects that refer to each other by number.
///
/// Nothing is decoded ahead of time. A reader walks from ``root`` and asks for what it needs, so
/// that the cycles which archives may have are the walker's to watch.
package struct KeyedArchive: Sendable {
  /// The values of `$objects`; number 0 represents nil.
  package let objects: [PropertyList]
  /// What the archive was asked to hold, by name; mostly one member, `root`.
  package let top: [PropertyList.Member]

  /// Reads an archive from the bytes of a property list.
  package init(
    bytes: [UInt8],
    limits: PropertyListLimits = .standard
  ) throws(PropertyListError) {
    try self.init(PropertyList(bytes: bytes, limits: limits))
  }

  /// Takes a property list that is an archive.
  package init(_ list: PropertyList) throws(PropertyListError) {
    guard let archiver = list["$archiver"]?.text else {
      throw .notAnArchive(reason: "it has no $archiver")
    }
    guard archiver.contains("KeyedArchiver") else {
      throw .notAnArchive(reason: "its archiver is \(archiver)")
    }
    guard list["$version"]?.wholeNumber == 100_000 else {
      throw .notAnArchive(reason: "its $version is not 100000")
    }
    guard case .array(let objects) = list["$objects"] else {
      throw .notAnArchive(reason: "it has no $objects")
    }
    guard let top = list["$top"]?.members else { throw .notAnArchive(reason: "it has no $top") }
    self.objects = objects
    self.top = top
  }

  /// The one object the archive is about: the member `root`, else the only one there is.
  package var root: PropertyList? {
    top.first { $0.name == "root" }?.value ?? (top.count == 1 ? top[0].value : nil)
  }

  /// Follows a reference; what is no reference represents itself, nil is `.null`.
  package func resolved(_ value: PropertyList) throws(PropertyListError) -> PropertyList {
    guard case .uid(let number) = value else { return value }
    guard number != 0 else { return .null }
    guard objects.indices.contains(number) else {
      throw .malformedArchive(
        object: number,
        reason: "it is referred to, and there are \(objects.count) objects"
      )
    }
    if case .uid = objects[number] {
      throw .malformedArchive(object: number, reason: "it is itself a reference")
    }
    return objects[number]
  }

  /// The value of an object's key, with its reference followed; `nil` when the key is absent.
  package func value(
    _ key: String,
    of object: PropertyList
  ) throws(PropertyListError) -> PropertyList? {
    guard let value = object[key] else { return nil }
    return try resolved(value)
  }

  /// The classes of an object, its own first, or `nil` when the value is no object.
  package func classNames(of object: PropertyList) throws(PropertyListError) -> [String]? {
    guard let reference = object["$class"] else { return nil }
    guard case .uid(let number) = reference else {
      throw .malformedArchive(object: 0, reason: "a $class is not a reference")
    }
    let record = try resolved(reference)
    guard let name = record["$classname"]?.text else {
      throw .malformedArchive(object: number, reason: "the class has no name")
    }
    guard let chain = record["$classes"] else { return [name] }
    guard case .array(let links) = chain else {
      throw .malformedArchive(object: number, reason: "its $classes is not an array")
    }
    guard links.count <= 64 else {
      throw .malformedArchive(object: number, reason: "its class has \(links.count) ancestors")
    }
    let names = links.compactMap(\.text)
    guard names.count == links.count else {
      throw .malformedArchive(object: number, reason: "a class name is not a string")
    }
    return names.first == name ? names : [name] + names
  }
}

// MARK: - Collections

extension KeyedArchive {
  /// The elements of an archived array or set, references not yet followed.
  ///
  /// `nil` when the object keeps no elements the way these classes do.
  package func elements(of object: PropertyList) throws(PropertyListError) -> [PropertyList]? {
    if let objects = object["NS.objects"], object["NS.keys"] == nil {
      return try resolved(objects).elements
    }
    guard let members = object.members, object["NS.object.0"] != nil else { return nil }
    let places = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    var elements: [PropertyList] = []
    while let element = places["NS.object.\(elements.count)"] { elements.append(element) }
    // Whatever has a number beyond a gap would be lost.
    return elements.count == members.count { $0.name.hasPrefix("NS.object.") } ? elements : nil
  }

  /// The pairs of an archived dictionary, references not yet followed.
  ///
  /// `NSKnownKeysDictionary1` keeps its keys in a search mapping and marks absent values by a
  /// token; those are left out. `nil` when the object is no dictionary of either kind.
  package func pairs(
    of object: PropertyList
  ) throws(PropertyListError) -> [(key: PropertyList, value: PropertyList)]? {
    let keys: [PropertyList]
    let values: [PropertyList]
    var absent: PropertyList?
    if let keyList = object["NS.keys"], let valueList = object["NS.objects"] {
      guard let keyElements = try resolved(keyList).elements,
        let valueElements = try resolved(valueList).elements
      else { return nil }
      (keys, values) = (keyElements, valueElements)
    } else if let mapping = try value("searchMapping", of: object),
      let keyList = try value("keys", of: mapping),
      let valueList = try value("values", of: object)
    {
      guard let keyElements = try elements(of: keyList),
        let valueElements = try elements(of: valueList)
      else { return nil }
      (keys, values) = (keyElements, valueElements)
      absent = object["emptyToken"]
    } else {
      return nil
    }
    guard keys.count == values.count else {
      throw .malformedArchive(
        object: 0,
        reason: "a dictionary has \(keys.count) keys and \(values.count) values"
      )
    }
    return zip(keys, values).filter { absent == nil || $0.1 != absent }
      .map { (key: $0.0, value: $0.1) }
  }
}
