import JSONText
import Profiles
import Records
import UploadPlanning

/// What of a profile decides how that which a run did is taken back: how a record is told to be as the
/// run left it, what of it is put back, and what has to stay because others name it.
///
/// The routes by which that is done are no part of it, and neither is what is about uploads alone: with a
/// mended route the same is taken back.
struct UndoRules: Hashable, Sendable {
  /// The rules of an entity that is sent, or of a category of files.
  private struct Rules: Hashable, Sendable {
    /// The digest of what is compared and put back; of where they lie, for files.
    let content: Digest
    /// The digest of the members that name other records, or files; `nil` where there are none.
    let links: Digest?
  }

  private let rules: [EntityName: Rules]

  init(_ profile: Profile) {
    var rules: [EntityName: Rules] = [:]
    for api in profile.api?.entities ?? [] {
      guard let entity = profile.entity(api.entity) else { continue }
      rules[entity.name] = Rules(
        content: Self.digest(of: profile.content(of: entity)),
        links: profile.links(of: entity, api).map(Self.digest)
      )
    }
    let place = Self.digest(of: profile.placeOfFiles)
    for category in profile.mediaCategories {
      rules[.media(category)] = Rules(content: place, links: nil)
    }
    self.rules = rules
  }

  private static func digest(of value: JSONValue) -> Digest {
    OperationKey.digest(of: value.canonicalBytes)
  }

  /// Whether the files of a category lie where they do by another profile, as far as profiles say it.
  func isSamePlace(of category: EntityName, in other: UndoRules) -> Bool {
    rules[category]?.content == other.rules[category]?.content
  }

  /// Whether what an action did, or what an undo is still to take back, is taken back by the same rules
  /// under another profile.
  func stand(in other: UndoRules, for action: Operation.Action, on entity: EntityName) -> Bool {
    guard rules[entity]?.content == other.rules[entity]?.content else { return false }
    switch action {
    case .update, .complete, .delete, .restore: return true
    case .create, .upload, .uncreate, .unupload, .discard:
      // What others name must not be removed, whichever they are.
      return rules.allSatisfy { name, own in
        own.links == nil || other.rules[name]?.links == own.links
      }
    }
  }
}

// MARK: - As they are written down

extension UndoRules {
  private static let mark = "rules"

  /// A line for each entity: its name, the digest of its content, and that of its links where it has any.
  var words: [String] {
    rules.sorted { $0.key < $1.key }.map { entity, rules in
      let digests = [rules.content, rules.links].compactMap { $0?.description }
      return ([Self.mark, entity.text] + digests).joined(separator: " ")
    }
  }

  /// Whether a line is one of ``words``.
  static func isWord(_ line: Substring) -> Bool { line.hasPrefix("\(mark) ") }

  /// Reads ``words`` back; where one of them cannot be read, these are rules that no profile has.
  init(words: some Sequence<Substring>) {
    var rules: [EntityName: Rules] = [:]
    for word in words {
      let parts = word.split(separator: " ").map(String.init)
      guard 3...4 ~= parts.count, parts[0] == Self.mark, let entity = EntityName(parts[1]),
        let content = Digest(hexadecimal: parts[2])
      else {
        self.rules = [:]
        return
      }
      var links: Digest?
      if parts.count == 4 {
        guard let digest = Digest(hexadecimal: parts[3]) else {
          self.rules = [:]
          return
        }
        links = digest
      }
      rules[entity] = Rules(content: content, links: links)
    }
    self.rules = rules
  }
}

// MARK: - What the profile says

extension Profile {
  /// The settings of an entity's interface that decide nothing about what is taken back.
  private static let others = [
    "list", "read", "create", "update", "delete", "replay", "conflict", "natural-key", "needs",
    "unplaced",
  ]

  private var sendsFiles: Bool { api?.sendsFiles == true }

  /// What the records of an entity are made of at the destination, and how that is compared.
  fileprivate func content(of entity: EntityProfile) -> JSONValue {
    let name = entity.name.text
    var settings = meaning["api"]?["entities"]?[name]?.object ?? JSONObject()
    for other in Self.others { settings[other] = nil }
    settings["body"] = settings["body"].map(Self.withoutReach)
    let files = (sendsFiles ? entity.media : []).map { file in
      JSONValue.array([.string(file.member), .string(file.category)])
    }
    let queues = entities.filter { queue in
      queue.queue?.kinds.values.contains(where: { $0.entity == entity.name }) == true
    }
    var content = JSONObject()
    content["settings"] = .object(settings)
    content["kind"] = meaning["api"]?["kind"]
    content["zone"] = zone
    content["files"] = .array(files)
    content["waits-in"] = meaning["entities"]?[name]?["waits-in"]
    content["queues"] = .array(queues.compactMap { meaning["entities"]?[$0.name.text]?["queue"] })
    return .object(content)
  }

  /// A body without what decides only which records are made.
  private static func withoutReach(_ body: JSONValue) -> JSONValue {
    guard var members = body.object else { return body }
    for member in members.members {
      guard var rule = member.value.object else { continue }
      rule["within"] = nil
      members[member.name] = .object(rule)
    }
    return .object(members)
  }

  /// The zone of the records, where that is not the one that a database has by itself.
  private var zone: JSONValue? {
    guard case .cloudKit(let cloudKit) = api?.kind, cloudKit.zone != CloudKitApi.defaultZone else {
      return nil
    }
    return .string(cloudKit.zone)
  }

  /// By which members the records of an entity name others and files, and where these members are; `nil`
  /// where none does.
  fileprivate func links(of entity: EntityProfile, _ api: EntityApi) -> JSONValue? {
    let links = api.body.compactMap { rule -> JSONValue? in
      switch rule.source {
      case .reference(let member): return JSONValue.array([.string(rule.name), .string(member)])
      case .media(let member):
        guard sendsFiles, let file = entity.media.first(where: { $0.member == member }) else {
          return nil
        }
        return JSONValue.array([.string(rule.name), .string(member), .string(file.category)])
      case .field, .list, .record, .constant: return nil
      }
    }
    guard !links.isEmpty else { return nil }
    return JSONValue.array([.string(api.content.description), .array(links)])
  }

  /// Where files lie, as far as the profile and not the destination says it.
  fileprivate var placeOfFiles: JSONValue {
    guard case .bucket(let bucket) = api?.media?.way else { return .null }
    return .array([.string(bucket.endpoint), .string(bucket.name), .string(bucket.key)])
  }
}
