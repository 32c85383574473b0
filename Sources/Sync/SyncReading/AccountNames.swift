package import ExportPackage
import JSONText
package import Profiles
import Records
import StageSupport

/// The names under which an app's store knows the account that is signed in.
package struct AccountNames: Sendable {
  /// What the destination calls it.
  let names: [String]
  /// The keys of the store's own records of that account.
  let keys: Set<String>
  /// Which members of an entity's records name that record.
  let pointers: [EntityName: Set<String>]

  /// Whose records are sent, and which of them a person wants.
  package func rule(for entity: EntityProfile, _ selection: Selection) -> SkipRule {
    let isPointer =
      entity.owner.map { pointers[entity.name]?.contains($0.member) ?? false } ?? false
    return SkipRule(
      entity: entity,
      owners: names + (isPointer ? keys.sorted() : []),
      selection: selection
    )
  }
}

extension AccountNames {
  /// Under which names the package's records may speak of the account.
  package init(
    _ accountNames: [String],
    of profile: Profile,
    in package: PackageReader
  ) throws {
    var pointers: [EntityName: Set<String>] = [:]
    if let rule = profile.account {
      for entity in package.manifest.entities {
        pointers[entity.name] = Set(
          entity.references.filter { $0.entities.contains(rule.entity) }.map(\.member)
        )
      }
    }
    self.init(
      names: accountNames,
      keys: try Self.named(by: package, accountNames, of: profile).keys,
      pointers: pointers
    )
  }

  /// The first account that the store names, and the keys of the records that name the one that is
  /// signed in.
  package static func named(
    by package: PackageReader,
    _ accountNames: [String],
    of profile: Profile
  ) throws -> (first: String?, keys: Set<String>) {
    guard let rule = profile.account, package.manifest.recordCount(of: rule.entity) > 0 else {
      return (nil, [])
    }
    let keyMember = package.manifest.entities.first { $0.name == rule.entity }?.key
    var first: String?
    var keys: Set<String> = []
    let document = JSONDocument()
    try package.forEachRecord(of: rule.entity) { line, _ in
      guard let name = document.text(of: rule.member, in: line) else { return }
      if first == nil { first = name }
      guard accountNames.contains(where: { AccountName.isSame($0, name) }) else { return }
      keys.insert(keyMember.flatMap { document.text(of: $0, in: line) } ?? name)
    }
    return (first, keys)
  }
}

extension JSONDocument {
  /// The text of a member of a line; `nil` when the line is not JSON or the member holds nothing.
  fileprivate func text(of member: String, in line: [UInt8]) -> String? {
    do throws(JSONError) {
      try parse(keeping: line)
    } catch {
      return nil
    }
    guard kind(of: root) == .object, let node = self.member(of: root, named: member),
      kind(of: node) != .null
    else { return nil }
    let text = text(ofScalar: node)
    return text.isEmpty ? nil : text
  }
}
