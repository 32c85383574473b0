import TestSupport
import Testing

/// What the profile that `ferry init` drafts for a preset has to show, whatever the preset, at the preset's stand-in.
@Suite(.timeLimit(.minutes(5)))
struct EveryStandInTests {
  enum Preset: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case appwrite, couchdb, directus, firestore, hasura, laravel, odata, parse, rails, strapi

    var testDescription: String { rawValue }

    private var isHere: Bool {
      switch self {
      case .hasura: GraphQLCore.isThere
      case .rails: Servers.rails != nil
      default: true
      }
    }

    /// Has the case counted as skipped where this machine lacks what its stand-in is made of.
    func skipIfMissing() throws {
      if !isHere { try Test.cancel("skipped: what the stand-in of \(self) needs is not installed") }
    }

    /// The stand-in and the profile as it is drafted, or as a person fills it in.
    var backend: StandInScenario.Backend {
      switch self {
      case .appwrite: AppwriteTests.backend()
      case .couchdb: CouchDBTests.backend()
      case .directus: DirectusTests.backend()
      case .firestore: FirestoreTests.backend()
      case .hasura: HasuraTests.backend()
      case .laravel: LaravelTests.backend()
      case .odata: ODataTests.backend()
      case .parse: ParseTests.backend()
      case .rails: RailsTests.backend()
      case .strapi: StrapiTests.backend()
      }
    }

    /// The same with few records in a request, where that takes several.
    var inSmallBatches: StandInScenario.Backend {
      switch self {
      case .appwrite: AppwriteTests.backend(with: "\n    batch: 20")
      case .couchdb: CouchDBTests.backend(batch: 20)
      case .firestore: FirestoreTests.backend(batch: 20)
      case .hasura: HasuraTests.backend(with: "\n    batch: 20")
      case .odata: ODataTests.backend(with: "batch: 20")
      case .directus: DirectusTests.backend(filled: batched)
      case .parse: ParseTests.backend(filled: batched)
      case .laravel, .rails, .strapi: backend
      }
    }

    private func batched(_ draft: String) -> String {
      draft.replacing("preset: \(rawValue)", with: "preset: \(rawValue)\n  with: { batch: 20 }")
    }

    /// How many notes a run that is killed sends beside ten folders.
    var noteCount: Int {
      switch self {
      case .laravel, .strapi: 60
      case .rails: 30
      default: 240
      }
    }
  }

  /// The requests of the two runs, by their kind: some take folders and notes in a batch each, and some a record each.
  @Test(
    arguments: [
      (.appwrite, 240, ["creates": 4], ["updates": 1, "deletes": 1]),
      (.directus, 240, ["creates": 4], ["updates": 1, "deletes": 1]),
      (.firestore, 240, ["commits": 2], [:]),
      (.hasura, 240, ["creates": 250], ["updates": 3, "deletes": 2]),
      (.odata, 240, ["creates": 250], ["updates": 3, "deletes": 2]),
      // The first record of an entity goes alone.
      (.parse, 240, ["batches": 8], [:]),
      (.strapi, 120, ["creates": 130], ["updates": 3, "deletes": 2]),
    ] as [(Preset, Int, [String: Int64], [String: Int64])]
  )
  func `rows are migrated, edited, deleted, verified and rolled back to nothing`(
    preset: Preset,
    notes: Int,
    first: [String: Int64],
    second: [String: Int64]
  ) async throws {
    try preset.skipIfMissing()
    try await withStandIn(preset.backend, notes: notes) {
      try await $0.isCrossed(records: notes + 10, first: first, second: second)
    }
  }

  @Test(arguments: Preset.allCases)
  func `a run that is killed five times, with each third answer lost, stores each record once`(
    preset: Preset
  ) async throws {
    try preset.skipIfMissing()
    let notes = preset.noteCount
    try await withStandIn(preset.inSmallBatches, notes: notes, losing: 3) {
      try await $0.isStoredOnce(records: notes + 10)
    }
  }

  @Test(
    arguments: [
      (.appwrite, ["no longer than 255 chars", "document_invalid_structure"]),
      (.directus, ["VALUE_TOO_LONG"]),
      (.hasura, ["value too long for type character varying(200)"]),
      (.strapi, ["title: title must be at most 255 characters"]),
    ] as [(Preset, [String])]
  )
  func `a text that is too long is named with the server's reason, and the others arrive`(
    preset: Preset,
    words: [String]
  ) async throws {
    try preset.skipIfMissing()
    try await withStandIn(preset.backend, notes: 20) { try await $0.refusesOne(words) }
  }

  @Test(
    arguments: Preset.allCases.filter { ![.couchdb, .firestore, .laravel, .rails].contains($0) }
  )
  func `a field and a collection that are missing are named before anything is sent`(
    preset: Preset
  ) async throws {
    try preset.skipIfMissing()
    let backend =
      switch preset {
      case .hasura: HasuraTests.described
      case .odata: ODataTests.described
      default: preset.backend
      }
    let names = preset == .parse ? ("Note", "Nothing") : ("notes", "nothing")
    try await withStandIn(backend, notes: 1) {
      try await $0.namesWhatIsMissing(notes: names.0, nothing: names.1)
    }
  }
}
