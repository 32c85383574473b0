package import Profiles
import Records

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
  /// listed at the head instead.
  func text(
    _ entities: [EntityName],
    of profile: String,
    _ schemas: [(name: String, bytes: [UInt8])]
  ) -> String {
    let bare = lines(entities) { _ in [] }
    do throws(ProfileError) {
      let whole = try Profile(yaml: profile + bare, path: "profile.yaml") { name in
        schemas.first { $0.name == name }?.bytes
      }
      return lines(entities) { whole.api?.entity($0).map { Self.fields($0) } ?? [] }
    } catch {
      return bare + error.faults.map { "# To do: \($0.cause); \($0.cure)\n".plain + "\n" }.joined()
    }
  }

  private func lines(_ entities: [EntityName], _ fields: (EntityName) -> [String]) -> String {
    var lines: [String] = []
    if let url { lines += ["destinations:", "  server: { url: \(ProfileDraft.quoted(url)) }"] }
    lines += ["api:", "  preset: \(preset.name)"]
    if !preset.needs.isEmpty {
      lines += ["  with:"] + preset.needs.map { "    \($0):   # to be given" }
    }
    lines.append("  entities:")
    for entity in entities {
      let place =
        preset.placesRecords
        ? " {}" : "\n      collection: \(PresetSummary.collection(of: entity))"
      lines.append("    \(ProfileDraft.quoted(entity.text)):" + place)
      lines += fields(entity)
    }
    return lines.joined(separator: "\n") + "\n"
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
