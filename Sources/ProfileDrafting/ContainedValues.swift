import Profiles
import PropertyLists
import Records
import StoreFiles
import StoreReading

/// What the bytes of an entity's attributes hold: archives, property lists, JSON, or UUIDs.
///
/// An attribute is read so only where every value of it is of that form. Each row is read once.
struct ContainedValues {
  /// How the values of an attribute are read, by its name; the others stay bytes.
  let readings: [String: FieldProfile.Reading]

  /// Larger values are not looked into, so an attribute that has one stays bytes.
  private static let longestValue = 16 << 20

  /// So many UUIDs of the usual versions are no chance; fewer count where the name says so.
  private static let fewestUUIDs = 4

  init(of entity: StoreEntity, in store: any Store) throws(StoreError) {
    let names = entity.attributes.filter { !$0.isTransient && Self.mayHold($0.kind) }.map(\.name)
      .filter { FieldProfile.canName($0) }
    var forms = names.map { _ in Candidate() }
    // Bytes of preferences are read as values already.
    guard !names.isEmpty, !entity.holdsPreferences else {
      readings = [:]
      return
    }
    let reader = try store.rows(
      RowRequest(entity: entity.name, fields: names.map { .attribute(path: [$0]) })
    )
    while forms.contains(where: \.isOpen), try reader.next() {
      if reader.row.isTooLarge { continue }
      for place in names.indices where forms[place].isOpen {
        forms[place].add(reader.row.cells[place])
      }
    }
    var readings: [String: FieldProfile.Reading] = [:]
    for (name, form) in zip(names, forms) { readings[name] = form.reading(of: name) }
    self.readings = readings
  }

  private static func mayHold(_ kind: StoreAttribute.Kind) -> Bool {
    switch kind {
    case .binary, .undeclared: true
    default: false
    }
  }

  /// The forms that the values of one attribute have had so far.
  private struct Candidate {
    /// `nil` before the first value; `plain` where no form fits all.
    private var form: FieldProfile.Reading?
    private var count = 0

    var isOpen: Bool { form != .plain }

    mutating func add(_ cell: Cell) {
      switch cell {
      case .null: return
      case .blob(let bytes) where bytes.count <= ContainedValues.longestValue:
        let found = Self.form(of: unsafe Array(bytes))
        form = form == nil || form == found ? found : .plain
        count += 1
      case .large(let value): add(value.takeUnretainedValue())
      case .blob, .integer, .real, .text, .json, .list, .dangling, .lostFile: form = .plain
      }
    }

    /// Holds a large value only if it begins like one that holds others.
    private mutating func add(_ value: LargeValue) {
      guard !value.isText, value.count <= ContainedValues.longestValue,
        let start = value.bytes(upTo: 512), EncodedData.mayBegin(with: start),
        let bytes = value.bytes()
      else { return form = .plain }
      let found = Self.form(of: bytes)
      form = form == nil || form == found ? found : .plain
      count += 1
    }

    func reading(of name: String) -> FieldProfile.Reading? {
      guard let form, form != .plain else { return nil }
      let word = name.lowercased()
      let isNamed = word.hasSuffix("id") || word.contains("uuid")
      return form == .uuid && count < ContainedValues.fewestUUIDs && !isNamed ? nil : form
    }

    private static func form(of bytes: [UInt8]) -> FieldProfile.Reading {
      if isUUID(bytes) { return .uuid }
      let data = EncodedData(bytes)
      switch data {
      case .json: return .json
      case .archive: return .archive
      case .list: return data.json == nil ? .plain : .plist
      case .bytes: return .plain
      }
    }

    /// Whether the variant and the version are those of RFC 9562.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9562#section-4
    private static func isUUID(_ bytes: [UInt8]) -> Bool {
      bytes.count == 16 && bytes[8] & 0xC0 == 0x80 && (1...8).contains(bytes[6] >> 4)
    }
  }
}

extension StoreEntity {
  /// The entity with the kinds that its attributes have once they are read so.
  func attributes(reading readings: [String: FieldProfile.Reading]) -> [StoreAttribute] {
    attributes.map { attribute in
      guard let reading = readings[attribute.name], let kind = reading.kind else {
        return attribute
      }
      return StoreAttribute(
        name: attribute.name,
        kind: kind,
        isOptional: attribute.isOptional,
        isTransient: attribute.isTransient,
        isDerived: attribute.isDerived
      )
    }
  }
}

extension FieldProfile.Reading {
  /// The kind of an attribute that is read so; `nil` for its own.
  fileprivate var kind: StoreAttribute.Kind? {
    switch self {
    case .plain, .milliseconds: nil
    case .uuid: .uuid
    case .json, .archive, .plist: .transformable(transformer: nil, valueClass: nil)
    }
  }
}

extension FieldProfile {
  /// Whether a field can name an attribute, under the attribute's own name.
  static func canName(_ attribute: String) -> Bool {
    attribute != EntityProfile.addressMember && path(attribute).joined(separator: ".") == attribute
  }
}
