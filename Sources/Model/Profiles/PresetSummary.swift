import JSONText
import Presets
package import ProfileSettings
import Records
import RequestBodies

/// What a destination can do that is spoken to as a preset says.
///
/// It is worked out from a profile that uses the preset, by the reader of all profiles.
package struct PresetSummary: Hashable, Sendable {
  /// As a profile names it: `pocketbase`, or `./mine.yaml`.
  package let name: String
  package let title: String
  /// The preset as it is written.
  package let text: String
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
  /// Whether a record is addressed that several fields identify: the preset says how, or the kind needs no routes.
  package let knowsCompound: Bool
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
  /// The names of the fields that identities and references are sent in, by the words of ``MemberContent``.
  private let usualNames: [String: String]

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
    /// The destination says what its collections are, to an account that may see them.
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

  /// `beside` gives what a file holds that the name leads to, or `nil`.
  ///
  /// - Throws: `ProfileError` where there is no preset of the name, or it is at fault.
  package init(
    _ name: String,
    given: GivenValues = .none,
    beside: (String) -> [UInt8]? = { _ in nil }
  ) throws(ProfileError) {
    let log = FaultLog(file: "preset \(name)")
    let root = SettingNode(value: .section([]), file: log.file, line: 1, pointer: "")
    let preset = Preset.named(name, at: root, beside: beside, log: log)
    try log.check()
    guard let preset else { preconditionFailure("a preset that cannot be read has a fault") }
    let needs = preset.variables.members.filter(\.value.isNothing).map(\.name)
    let open = needs.filter { given.texts[$0] == nil }
    let schema = preset.api["schema-from"]
    let values = open.map { "\($0): probe" } + given.lines(needs: needs)
    let profile = try Profile(yaml: Self.probe(preset: name, values), path: log.file) { file in
      file == Self.probeSchema.name ? Array(Self.probeSchema.text.utf8) : beside(file)
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
    text = preset.text
    form = preset.api["names"]?.json.text.flatMap { NameForm(rawValue: $0) } ?? .asIs
    idField = entity.hasIdentityInContent ? entity.id.names.last ?? "id" : nil
    reserved = entity.reserved
    credentials = api.credentials
    keepsFilesInRecords = !entity.files.isEmpty
    capabilities = Capability.allCases.filter { api.has($0, entity) }
    let lists = preset.api["conventions"]?[MemberContent.references.rawValue]
    takesReferenceLists = lists != nil && lists?.json != "unmapped"
    let fields = [MemberContent.identity, .address, .reference].map(\.rawValue).compactMap {
      content in
      preset.api["conventions"]?[content]?["name"]?.json.text.map { (content, $0) }
    }
    usualNames = Dictionary(uniqueKeysWithValues: fields)
    knowsCompound =
      preset.api["compound"] != nil || !api.kind.hasRoutes && api.kind.knowsSeveralMembers
    placesRecords = preset.api["defaults"]?["collection"] != nil
  }

  /// The members that cannot be sent under their own names where records are identified by `attribute`, or by
  /// their own address where it is `nil`, each with a field of its own: the identity has the name, or the
  /// destination itself, or another member that is written the same.
  package func fieldsOfTakenNames(
    among attributes: Set<String>,
    references: Set<String>,
    identity attribute: String?
  ) -> [(field: String, member: String)] {
    let content: MemberContent = attribute == nil ? .address : .identity
    let own = [idField, usualNames[content.rawValue], attribute.map(form.applied)]
    var used = Set(own.compactMap { $0 })
    let members =
      references.sorted().map { ($0, field(ofReference: $0)) }
      + attributes.subtracting(references).filter { $0 != attribute }.sorted()
      .map { ($0, form.applied(to: $0)) }
    let taken = members.filter { _, field in
      reserved.hold(field) || !used.insert(field).inserted
    }
    return taken.map { name, _ in
      var field = "stored_" + form.applied(to: name)
      while !used.insert(field).inserted { field += "_" }
      return (field, name)
    }
  }

  /// The field in which a reference is sent by convention.
  package func field(ofReference name: String) -> String {
    form.applied(to: name, in: usualNames[MemberContent.reference.rawValue])
  }

  /// Whether the column of a foreign key and its reference would be sent in one field, such as `folder_id`.
  package func sendsTogether(_ column: String, _ reference: String) -> Bool {
    field(ofReference: reference) == form.applied(to: column)
  }

  private static let probeSchema = (
    name: "probe.json",
    text: #"""
    {"properties": {"id": {"type": "string"}, "title": {"type": "string"},
      "picture": {"x-holds": "media"}}}
    """#
  )

  /// The smallest profile that uses a preset.
  private static func probe(preset: String, _ values: [String]) -> String {
    let with = values.joined(separator: ", ")
    return """
      ferry-profile: 1
      app: probe
      entities:
        Probe:
          identity: { attribute: id }
          schema: \(probeSchema.name)
      api:
        preset: \(JSONValue.string(preset).canonicalText)
        with: { \(with) }
        entities: { Probe: { collection: probes, natural-key: [title] } }
      """
  }

  /// The file beside a profile that the name leads to; `nil` for a preset of the program.
  package var file: (name: String, bytes: [UInt8])? {
    name.isNameOfFile ? (String(name.dropFirst(2)), Array(text.utf8)) : nil
  }
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
