import Records
import StoreFiles
import StoreReading

/// Warns of entities whose rows are known by their places in the store alone, as far as they have any.
func passingKeys(
  of entities: [EntityName],
  in store: any Store
) throws -> [Finding] {
  var findings: [Finding] = []
  for entity in entities where store.model.entity(named: entity)?.keysMayChange == true {
    let count = try store.rowCount(of: entity)
    if count > 0 {
      findings.append(.passingKeys(of: entity, areOfFile: store.identity.kind == .files))
    }
  }
  return findings
}

extension Finding {
  fileprivate static func passingKeys(of entity: EntityName, areOfFile: Bool) -> Finding {
    Finding(
      code: "store.passing-keys",
      severity: .warning,
      entity: entity,
      cause: (areOfFile
        ? "a file declares no key, so its rows are known by their numbers, and a later file may have "
          + "another row in the same place: "
        : "the table has no primary key, so its rows are known by their numbers, which the database "
          + "may change and give to another row: ")
        + "a later run would send them once more, or take one for another",
      cure: "name what distinguishes them in the profile, with “identity: { attribute: … }”; where "
        + "nothing does, bring them over in one run, and leave them out of later ones"
    )
  }
}
