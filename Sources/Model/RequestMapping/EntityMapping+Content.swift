import JSONText
import Profiles
import RequestBodies
package import UploadPlanning

// The content at the destination, held against what it was given.

/// What a destination was given of a record, with what that names as the destination has it.
package struct GivenRecord {
  var members = JSONObject()
  /// The members of which it is unknown what they should have: they name something whose place is not known,
  /// or no one was given them yet and the destination may have filled them itself.
  var unknown: Set<String> = []
  /// What the record said in members that were left empty: a row of a list may have lacked them, and the
  /// destination still have what it says.
  var cleared = JSONObject()
}

/// What a record says, with what it names as the destination has it.
package struct FieldStatement {
  package let update: [RequestField]
  package let whole: [RequestField]
  /// The members that name what is not at the destination yet, by the content of for it.
  var open: Set<String> = []

  package init(
    update: [RequestField],
    whole: [RequestField],
    open: Set<String> = []
  ) {
    self.update = update
    self.whole = whole
    self.open = open
  }
}

extension EntityMapping {
  /// What a record said when both sides last agreed.
  ///
  /// Of this and what follows, `image` is what was kept, in plain text.
  func began(
    _ image: RecordImage,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> GivenRecord {
    var began = GivenRecord()
    for member in object(image.base)?.members ?? [] {
      let found = try program.resolved(member.value, of: member.name, resolver)
      began.members[member.name] = found.value
      if !found.isKnown { began.unknown.insert(member.name) }
    }
    return began
  }

  /// What the destination was given last, of which `known` says whether it was given all.
  package func given(
    _ image: RecordImage,
    of known: SyncState?,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> GivenRecord {
    given(try began(image, resolver), image, of: known)
  }

  /// The same, of what the record said.
  func given(_ began: GivenRecord, _ image: RecordImage, of known: SyncState?) -> GivenRecord {
    var given = began
    if image.requestDigest != known?.requestDigest { given.unknown.formUnion(fillable) }
    for member in image.sent.flatMap({ object($0) })?.members ?? [] {
      if member.value.isNull, !given.unknown.contains(member.name) {
        given.cleared[member.name] = given.members[member.name]
      }
      given.members[member.name] = member.value
      given.unknown.remove(member.name)
    }
    return given
  }

  /// The members that complete a record, as far as a destination may fill them itself: it links nothing.
  var fillable: Set<String> {
    let links = program.fileLinks
    let rules = program.api.body.filter { rule in
      rule.stage == .complete && !rule.isDeferredReference && !links.contains(rule.name)
    }
    return Set(rules.map(\.name))
  }

  /// What a record says that names something which may not be at the destination yet.
  package func statement(
    _ plain: RequestFieldSet,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> FieldStatement {
    var open: Set<String> = []
    func resolved(_ members: [RequestField]) throws(MappingFault) -> [RequestField] {
      var all: [RequestField] = []
      for member in members {
        guard program.namesOthers(member.name) else {
          all.append(member)
          continue
        }
        let value = JSONValue(checked: member.value)
        let found = try program.resolved(value, of: member.name, resolver)
        if !found.isKnown {
          // A link is left out while there is no file.
          if program.fileLinks.contains(member.name) { continue }
          open.insert(member.name)
        }
        all.append(RequestField(name: member.name, value: found.value.canonicalBytes))
      }
      return all
    }
    let update = try resolved(plain.update)
    let whole = try resolved(plain.whole)
    return FieldStatement(update: update, whole: whole, open: open)
  }

  /// The members that an update brings.
  package var updated: [String] { program.api.body.filter { $0.stage != .once }.map(\.name) }

  /// What identifies the content of a record at the destination, as far as it was read, from any other.
  package func contentMark(of remote: [UInt8], isAlone: Bool) -> ContentMark {
    let there = object(remote) ?? JSONObject()
    let names = updated.filter { there[$0] != nil && program.api.compare[$0] != .ignored }
    return ContentMark(
      names: names,
      digest: program.contentDigest(of: names, in: there),
      isAlone: isAlone
    )
  }
}
