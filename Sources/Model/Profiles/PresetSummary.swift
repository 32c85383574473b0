import JSONText
import Presets
package import ProfileSettings
import Records
import RequestBodies

/// What a destination can do that is spoken to as a preset says.
///
/// It is worked out from a profile that uses the preset, by the reader of all profiles.
package struct PresetSummary: Hashable, Sendable {
  package let name: String
  package let title: String
  /// What a profile has to give in `with`.
  package let needs: [String]
  /// The values that a person gave for a profile's `with`.
  package let given: GivenValues
  /// What has to be given before the destination can say what its collections are.
  package let schemaNeeds: [String]
  /// The credentials that it asks for.
  package let credentials: [String]
  /// What it can, in the order of ``Capability``.
  package let capabilities: [Capability]
  /// Whether a file is a field of its record, and nothing else has to be set for files to be sent.
  package let keepsFilesInRecords: Bool
  /// Whether the preset says itself where the records of an entity are.
  package let placesRecords: Bool
  /// Whether the preset says how lists of references are sent.
  package let takesReferenceLists: Bool
  /// The path at which one signs in; `nil` where the headers alone authorise.
  package var signInPath: String? { api.signIn?.route.template }
  /// Where the destination says what its collections are; `nil` where it does not.
  package var schemaRoute: SchemaRoute? { api.schemaRoute }
  /// How the destination is spoken to about anything but the records of a profile.
  package let api: Api

  /// The names of fields that the destination keeps for itself.
  private let reserved: ReservedNames
  /// The field that has a record's ID at the destination; `nil` where no field that is sent has it.
  private let idField: String?
  /// How the names of members are written as names of fields.
  private let form: NameForm
  /// The names of the fields that records' identities are sent in, of attributes and of addresses.
  private let identityFields: [String: String]

  /// What not every destination can.
  package enum Capability: String, CaseIterable, Sendable {
    /// Several records are created by one request.
    case bulk
    /// The destination says what changed since the last run.
    case changes
    case delete
    /// Files are sent.
    case files
    /// Each record has a revision, by which a change of another device is seen.
    case revisions
    /// The destination says what its collections are, to whom it lets see them.
    case schema
  }

  /// The presets that the program ships with, by name.
  ///
  /// - Throws: `ProfileError` where one of them is at fault.
  package static func shipped() throws(ProfileError) -> [PresetSummary] {
    var summaries: [PresetSummary] = []
    for name in ShippedPresets.names { summaries.append(try PresetSummary(name)) }
    return summaries
  }

  /// - Throws: `ProfileError` where there is no preset of the name.
  package init(_ name: String, given: GivenValues = .none) throws(ProfileError) {
    let log = FaultLog(file: "preset \(name)")
    let root = SettingNode(value: .section([]), file: log.file, line: 1, pointer: "")
    let preset = Preset.named(name, at: root, beside: { _ in nil }, log: log)
    try log.check()
    guard let preset else { preconditionFailure("a preset that cannot be read has a fault") }
    let needs = preset.variables.members.filter(\.value.isNothing).map(\.name)
    let open = needs.filter { given.texts[$0] == nil }
    let schema = preset.api["schema-from"]
    let values = open.map { "\($0): probe" } + given.lines(needs: needs)
    let profile = try Profile(yaml: Self.probe(preset: name, values), path: log.file) { _ in
      Array(
        #"""
        {"properties": {"id": {"type": "string"}, "title": {"type": "string"},
          "picture": {"x-holds": "media"}}}
        """#.utf8
      )
    }
    guard let api = profile.api, let entity = api.entities.first else {
      preconditionFailure("the probe sends an entity")
    }
    self.name = name
    self.needs = needs
    self.given = given
    schemaNeeds = open.filter { schema?.mentions($0) == true }
    self.api = api
    title = preset.title
    form = preset.api["names"]?.json.text.flatMap { NameForm(rawValue: $0) } ?? .asIs
    idField = entity.hasIdentityInContent ? entity.id.names.last ?? "id" : nil
    reserved = entity.reserved
    credentials = api.credentials
    keepsFilesInRecords = !entity.files.isEmpty
    capabilities = Capability.allCases.filter { api.has($0, entity) }
    takesReferenceLists =
      preset.api["conventions"]?[MemberContent.references.rawValue] != nil
    let fields = [MemberContent.identity, .address].map(\.rawValue).compactMap { content in
      preset.api["conventions"]?[content]?["name"]?.json.text.map { (content, $0) }
    }
    identityFields = Dictionary(uniqueKeysWithValues: fields)
    placesRecords = preset.api["defaults"]?["collection"] != nil
  }

  /// The members that cannot be sent under their own names where records are identified by `attribute`, or by
  /// their own address where it is `nil`, each with a field of its own: the identity has the name, or the
  /// destination itself, or another member that is written the same.
  package func fieldsOfTakenNames(
    among names: Set<String>,
    identity attribute: String?
  ) -> [(field: String, member: String)] {
    let content: MemberContent = attribute == nil ? .address : .identity
    let own = [idField, identityFields[content.rawValue], attribute.map(form.applied)]
    var used = Set(own.compactMap { $0 })
    let members = names.filter { $0 != attribute }.sorted()
    let taken = members.filter { name in
      let field = form.applied(to: name)
      return reserved.hold(field) || !used.insert(field).inserted
    }
    return taken.map { name in
      var field = "stored_" + form.applied(to: name)
      while !used.insert(field).inserted { field += "_" }
      return (field, name)
    }
  }

  /// The smallest profile that uses a preset.
  private static func probe(preset: String, _ values: [String]) -> String {
    let with = values.joined(separator: ", ")
    return """
      ferry-profile: 1
      app: probe
      entities:
        Probe:
          identity: { attribute: id }
          schema: probe.json
      api:
        preset: \(preset)
        with: { \(with) }
        entities: { Probe: { collection: probes, natural-key: [title] } }
      """
  }

  /// The preset as it is written.
  package var text: String { ShippedPresets.text(named: name) ?? "" }
}

extension GivenValues {
  /// The values as YAML, each a line of `with`.
  ///
  /// Those that a preset has none of are texts.
  package func lines(needs: [String]) -> [String] {
    texts.sorted { $0.key < $1.key }.map { name, text in
      let isNumber = !needs.contains(name) && Int64(text) != nil
      return "\(name): \(isNumber ? text : JSONValue.string(text).canonicalText)"
    }
  }
}
