package import Profiles
import Records
import StoreReading

/// Where the records of a drafted profile go: a preset, and an address where a person gave one.
package struct DraftedDestination: Hashable, Sendable {
  package let preset: PresetSummary
  package let url: String?

  package init(preset: PresetSummary, url: String?) {
    self.preset = preset
    self.url = url
  }

  /// The sections `destinations` and `api`, by convention alone: no server was asked.
  ///
  /// What would be sent is listed below each entity. Where the profile is not whole yet, its faults are
  /// listed at the end instead.
  func text(
    _ entities: [StoreEntity],
    _ identities: [EntityName: String],
    of profile: String,
    _ schemas: [(name: String, bytes: [UInt8])]
  ) -> String {
    let blocks = entities.map { (name: $0.name, lines: block(of: $0, identities[$0.name])) }
    let bare = text(blocks)
    do throws(ProfileError) {
      let whole = try Profile(yaml: profile + bare, path: "profile.yaml") { name in
        schemas.first { $0.name == name }?.bytes
      }
      return text(blocks) { whole.api?.entity($0).map { Self.fields($0) } ?? [] }
    } catch {
      return bare + error.faults.map { "# To do: \($0.cause); \($0.cure)".plain + "\n" }.joined()
    }
  }

  private func text(
    _ blocks: [(name: EntityName, lines: [String])],
    _ fields: (EntityName) -> [String] = { _ in [] }
  ) -> String {
    var lines: [String] = []
    if let url { lines += ["destinations:", "  server: { url: \(ProfileDraft.quoted(url)) }"] }
    lines += ["api:", "  preset: \(preset.name)"]
    if !preset.needs.isEmpty {
      lines += ["  with:"] + preset.needs.map { "    \($0):   # to be given" }
    }
    lines.append("  entities:")
    for block in blocks {
      lines.append(
        "    \(ProfileDraft.quoted(block.name.text)):\(block.lines.isEmpty ? " {}" : "")"
      )
      lines += block.lines + fields(block.name)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What an entity's block says by itself.
  private func block(of entity: StoreEntity, _ identity: String?) -> [String] {
    var lines: [String] = []
    if !preset.placesRecords {
      lines.append("      collection: \(PresetSummary.collection(of: entity.name))".plain)
    }
    let names = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
    // The destination's own ID has these names, so what the store has of them gets others.
    let taken = preset.takenNames(identity: identity).filter(names.contains)
    if !taken.isEmpty {
      lines.append("      body: { \(taken.map { "stored_\($0): \($0)" }.joined(separator: ", ")) }")
    }
    return lines
  }

  /// The fields of a request, each with where it comes from.
  private static func fields(_ api: EntityApi) -> [String] {
    let fields = api.body.map { rule in
      let uses = rule.uses.map(\.path.description).joined(separator: ", ")
      let isReference = if case .reference = rule.source { true } else { false }
      let notes = (uses == rule.name ? [] : [uses]) + (isReference ? ["a reference"] : [])
      let note = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
      return "      # unchecked: \(rule.name)\(note)".plain
    }
    return fields + api.unmapped.map { "      # not sent: \($0)".plain }
  }
}
