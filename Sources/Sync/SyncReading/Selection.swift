package import ExportPackage
import JSONText
package import Profiles
package import Records
import RequestMapping
import StageSupport
import TextCodecs

/// Which records a person wants sent in this run; the rest can be taken by a later one.
package struct Selection: Hashable, Sendable {
  /// The only entities that are sent; empty for all.
  package let only: Set<String>
  package let skips: [Skip]

  package static let all = Selection(only: [], skips: [])

  package init(only: Set<String>, skips: [Skip]) {
    self.only = only
    self.skips = skips
  }

  /// What is left out: an entity, or those of its records that have a value in a member.
  package struct Skip: Hashable, Sendable {
    let entity: String
    let member: String?
    let value: String

    /// Reads `ENTITY` or `ENTITY.member=value`; `nil` for anything else.
    ///
    /// The entity's name may have dots of its own; the member's has none.
    package init?(_ text: String) {
      guard let equals = text.firstIndex(of: "=") else {
        guard !text.isEmpty else { return nil }
        (entity, member, value) = (text, nil, "")
        return
      }
      let place = text[..<equals]
      guard let dot = place.lastIndex(of: "."), dot != place.startIndex,
        place.index(after: dot) != place.endIndex
      else { return nil }
      entity = String(place[..<dot])
      member = String(place[place.index(after: dot)...])
      value = String(text[text.index(after: equals)...])
    }

    /// The same, as a person writes it.
    package var text: String { member.map { "\(entity).\($0)=\(value)" } ?? entity }
  }

  /// The choice in one line, the same for the same choice.
  package var text: String {
    (only.sorted().map { "only \($0)" } + skips.map(\.text).sorted().map { "skip \($0)" })
      .joined(separator: "\n")
  }

  /// Whether an entity is left out as a whole.
  package func leavesOut(_ entity: EntityName) -> Bool {
    !only.isEmpty && !only.contains(entity.text)
      || skips.contains { $0.entity == entity.text && $0.member == nil }
  }

  /// Whether a record is left out.
  func leavesOut(_ read: MappedRecord, of entity: EntityName) -> Bool {
    skips.contains { skip in
      guard skip.entity == entity.text, let member = skip.member else { return false }
      return (read.text(of: member) ?? "") == skip.value
    }
  }

  /// - Throws: `MigrationError.badChoice` when it names what is not there: what a
  ///   mistyped name leaves out would be sent, and what it asks for not be looked at.
  package func check(_ profile: Profile, _ package: PackageReader) throws {
    let names = profile.entities.map(\.name.text)
    for name in only.sorted() + skips.map(\.entity) where !names.contains(name) {
      throw MigrationError.badChoice(
        reason: "“\(name)” is not an entity of the profile",
        cure: "use one of: \(names.joined(separator: ", "))"
      )
    }
    for skip in skips {
      guard let member = skip.member, let entity = EntityName(skip.entity) else { continue }
      guard package.manifest.recordCount(of: entity) > 0,
        try !package.knows(member, of: entity)
      else { continue }
      throw MigrationError.badChoice(
        reason: "no record of \(entity) has a member “\(member)”, so --skip would leave none out",
        cure: "see the names of members in the schema of \(entity) in the package"
      )
    }
  }
}

extension PackageReader {
  /// Whether an entity's schema lists a member, or one of its records has it.
  fileprivate func knows(
    _ member: String,
    of entity: EntityName
  ) throws -> Bool {
    let name = manifest.entities.first { $0.name == entity }?.schema
    let schemas = try self.schemas()
    for schema in schemas where schema.name == name {
      do throws(JSONError) {
        if try JSONValue(parsing: schema.bytes)["properties"]?[member] != nil { return true }
      } catch {
        let reason = "the schema \(schema.name) is not JSON: \(error)"
        throw PackageError.damaged(path: path, reason: reason)
      }
    }
    let document = JSONDocument()
    let stream = try records(of: entity)
    while let line = try stream.take()?.line {
      if document.has(member, in: line) { return true }
    }
    return false
  }
}

extension JSONDocument {
  /// Whether a line is an object with a member of this name.
  fileprivate func has(_ name: String, in line: [UInt8]) -> Bool {
    do throws(JSONError) {
      try parse(keeping: line)
    } catch {
      return false
    }
    return member(of: root, named: name) != nil
  }
}

/// Two spellings of one account's name.
package enum AccountName {
  /// Addresses and UUIDs are the same whatever the case; other names only as they are.
  package static func isSame(_ left: String, _ right: String) -> Bool {
    if left == right { return true }
    guard left.contains("@") || UUIDText.isUUID(left.utf8) else { return false }
    return left.lowercased() == right.lowercased()
  }
}
