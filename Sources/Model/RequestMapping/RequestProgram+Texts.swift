import Files
import JSONText
import LongTexts
package import Profiles
package import RequestBodies

// Long texts of records, which are held by their stand-ins wherever nothing looks into them.

extension RequestProgram {
  /// A value of a member with a stand-in for each long text, unless the member is looked into.
  func standingIn(_ value: [UInt8], in name: String) throws(MappingFault) -> [UInt8] {
    guard let texts, value.count > LongText.mostHeld, !examined.contains(name) else { return value }
    do throws(FileError) { return try texts.standingIn(value) } catch {
      throw .unanswered(reason: error.description)
    }
  }

  /// JSON with its long texts.
  func whole(_ json: [UInt8]) throws(MappingFault) -> [UInt8] {
    guard let texts else { return json }
    do throws(LongTextFault) { return try texts.whole(json) } catch {
      throw .unanswered(reason: error.description)
    }
  }

  /// Whether requests look into a long text of a record, or into any one where `all` are asked about.
  func needsTexts(of line: [UInt8], all: Bool) -> Bool {
    guard texts != nil else { return false }
    if all { return true }
    guard !examined.isEmpty else { return false }
    let document = JSONDocument()
    do throws(JSONError) { try document.parse(keeping: line) } catch { return false }
    return api.body.contains { rule in
      guard examined.contains(rule.name) else { return false }
      return rule.uses.contains { use in
        guard let name = use.path.names.first,
          let node = document.member(of: document.root, named: name)
        else { return false }
        return LongText.mayBeIn(document.canonicalBytes(of: node))
      }
    }
  }

  /// A record of the destination's with the long texts of the members that are looked into; `nil` where they
  /// are not at hand.
  func withComparedTexts(_ remote: [UInt8]) -> [UInt8]? {
    guard texts != nil, !examined.isEmpty, LongText.mayBeIn(remote),
      var object = try? JSONValue(parsing: remote).object
    else { return remote }
    for name in examined {
      guard let value = object[name]?.canonicalBytes, LongText.mayBeIn(value) else { continue }
      guard let whole = try? JSONValue(parsing: self.whole(value)) else { return nil }
      object[name] = whole
    }
    return JSONValue.object(object).canonicalBytes
  }
}

extension EntityApi {
  /// Whether what is sent, or how it is compared, depends on more of a text than which one it is.
  package func examinesText(of rule: RequestFieldRule) -> Bool {
    let isRead =
      switch rule.source {
      case .field(let field): field.letters != .kept || field.longest != nil
      case .list(let list): list.letters != .kept
      case .file: true
      case .record, .constant, .reference, .media: false
      }
    let isRewritten = rule.writing != .plain && rule.writing != .text
    return isRead || isRewritten
      || compare[rule.name]?.rules.contains(where: \.examinesText) == true
  }
}

extension EntityApi.Comparison.Rule {
  /// Whether two texts that are not the same may be compared as the same.
  fileprivate var examinesText: Bool {
    switch self {
    case .trimmed, .caseless, .caselessSet, .spelling, .uuid, .address, .path, .asset, .json: true
    case .set, .identity, .instant, .second, .blank, .present, .ignored: false
    }
  }
}
