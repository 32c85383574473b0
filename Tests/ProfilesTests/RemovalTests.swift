import ProfileSettings
import StageSupport
import Profiles
import Records
import Testing

/// What a profile says about records that a destination once removed.
@Suite struct RemovalTests {
  private func api(_ edit: (String) -> String) throws -> Api {
    try #require(try SampleApp.profile(edit).api)
  }

  private static func inNote(_ setting: String) -> (String) -> String {
    { $0.replacing("\n    Note:\n", with: "\n    Note:\n      \(setting)\n") }
  }

  private static let deletes = #"delete: { request: "DELETE /notes/{id}" }"#

  @Test func `a removal is repeatable unless the profile says otherwise`() throws {
    let api = try api { $0 }
    #expect(api.removal == .repeatable)
    #expect(api.entities.allSatisfy { !$0.isRemovedForGood })
  }

  @Test func `a final removal of the api section holds for every entity`() throws {
    let api = try api { $0.replacing("api:\n", with: "api:\n  removal: final\n") }
    #expect(api.entities.count == 2)
    #expect(api.entities.allSatisfy { $0.isRemovedForGood })
  }

  @Test func `an entity overrides the removal of the api section`() throws {
    let api = try api {
      Self.inNote("removal: repeatable")($0)
        .replacing("api:\n", with: "api:\n  removal: final\n")
    }
    #expect(api.entity("Owner")?.removal == .final)
    #expect(api.entity("Note")?.removal == .repeatable)
  }

  @Test func `an entity that is deleted by a request can have a final removal`() throws {
    let api = try api { Self.inNote("removal: final\n      \(Self.deletes)")($0) }
    #expect(api.entity("Note")?.isRemovedForGood == true)
    #expect(api.entity("Owner")?.isRemovedForGood == false)
  }

  @Test(arguments: [
    ("removal: final", "no request removes a Note", "add “delete”"),
    ("removal: never", "“never” is not known at this place", "repeatable, final"),
  ])
  func `a fault of a removal is named with its cure`(
    setting: String,
    cause: String,
    cure: String
  ) throws {
    let error = try #require(throws: ProfileError.self) {
      try SampleApp.profile(Self.inNote(setting))
    }
    let fault = try #require(error.faults.first { $0.pointer == "/api/entities/Note/removal" })
    #expect(fault.cause.contains(cause))
    #expect(fault.cure.contains(cure))
  }

  @Test func `a run is rolled back under the removal that it began with`() throws {
    let began = try SampleApp.profile { $0.replacing("api:\n", with: "api:\n  removal: final\n") }
    let read = try Profile(yaml: began.expandedText, path: "sample.yaml")
    #expect(read.api?.removal == .final)
    #expect(read.digest == began.digest)
  }
}
