import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// How a hero looks in pictures: at most one profile for each hero.
  func addVisualProfiles(to router: Router<RouteContext>) {
    let path: RouterPath = "/api/v1/heroes/:heroId/visual-profile"
    add(.get, path, to: router) { call, transaction in
      .data(try Table.visualProfiles.object(try profile(call, transaction)))
    }
    add(.post, path, to: router, work: createProfile)
    add(.patch, path, to: router) { call, transaction in
      let values = try profileValues(call)
      let row = try profile(call, transaction)
      try transaction.update(row[0], of: .visualProfiles, with: values)
      let changed = try profile(call, transaction)
      return .data(
        try Table.visualProfiles.object(changed),
        "Visual profile updated successfully"
      )
    }
    add(.delete, path, to: router) { call, transaction in
      let row = try profile(call, transaction)
      try transaction.run("DELETE FROM visualProfiles WHERE id = ?", [row[0] as String])
      return .data(
        ["heroId": .string(try call.parameter("heroId"))],
        "Visual profile deleted successfully"
      )
    }
  }

  @Sendable
  private func createProfile(_ call: Call, _ transaction: Transaction) throws -> Answer {
    var values = try profileValues(call)
    let hero = try transaction.ownRow(try call.parameter("heroId"), of: .heroes, called: "hero")
    guard try existingProfile(of: hero[0], transaction) == nil else {
      throw Refusal(
        .conflict,
        "Conflict",
        "Visual profile already exists for this hero. Use PATCH to update."
      )
    }
    values["heroId"] = .string(hero[0])
    try transaction.insert(values, into: .visualProfiles)
    let row = try profile(call, transaction)
    return .data(
      try Table.visualProfiles.object(row),
      "Visual profile created successfully",
      status: .created
    )
  }

  private func profileValues(_ call: Call) throws -> [String: JSONValue] {
    do throws(Refusal) {
      return try RequestForm.visualProfile.values(of: try call.object())
    } catch {
      var refusal = Refusal.validation("Invalid request body")
      refusal.details = ["formErrors": [.string(error.message)]]
      throw refusal
    }
  }

  private func profile(_ call: Call, _ transaction: Transaction) throws -> Row {
    let hero = try transaction.ownRow(try call.parameter("heroId"), of: .heroes, called: "hero")
    guard let row = try existingProfile(of: hero[0], transaction) else {
      throw Refusal.notFound("Visual profile not found for this hero")
    }
    return row
  }

  private func existingProfile(of hero: String, _ transaction: Transaction) throws -> Row? {
    try transaction.row(
      "SELECT \(Table.visualProfiles.selection) FROM visualProfiles WHERE heroId = ?",
      [hero]
    )
  }
}
