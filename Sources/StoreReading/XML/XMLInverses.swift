import Records
import StoreFiles

/// Settles where two relationships that a model calls inverse to each other say different things.
///
/// A to-one side is trusted: Core Data writes it with the object that it belongs to. Relationships
/// that no model pairs may mean different things, and stay as they are.
enum XMLInverses {
  static func settle(
    _ shape: XMLStoreShape,
    in database: ScratchDatabase,
    names: XMLStoreNames
  ) throws(StoreError) -> [Finding] {
    var findings: [Finding] = []
    for (entityName, entity) in shape.entities.sorted(by: { $0.key < $1.key }) {
      for (name, many) in entity.relationships.sorted(by: { $0.key < $1.key }) where many.isToMany {
        guard let inverse = many.inverse,
          let one = shape.entities[many.destination]?.relationships[inverse], !one.isToMany
        else { continue }
        let back = numbers(of: inverse, to: one.destination, in: shape)
        try database.run(
          "DELETE FROM link WHERE relationship = \(many.number) AND NOT EXISTS "
            + "(SELECT 1 FROM link AS back WHERE back.source = link.target "
            + "AND back.relationship IN (\(back)) AND back.target = link.source)"
        )
        let extra = database.changeCount
        try database.run(
          "INSERT INTO link (source, relationship, position, target) "
            + "SELECT one.target, \(many.number), 4611686018427387904 + one.source, one.source "
            + "FROM link AS one JOIN object ON object.number = one.target "
            + "WHERE one.relationship IN (\(back)) AND object.entity = \(entity.number) "
            + "AND NOT EXISTS "
            + "(SELECT 1 FROM link AS many WHERE many.target = one.source "
            + "AND many.relationship = \(many.number) AND many.source = one.target)"
        )
        let missing = database.changeCount
        guard extra + missing > 0 else { continue }
        findings.append(
          Finding(
            code: "store.inverse-differs",
            severity: .warning,
            entity: names.entity(entityName),
            pointer: "/\(name)",
            cause: "“\(name)” names \(extra) objects that “\(inverse)” does not confirm and "
              + "lacks \(missing) that it names",
            cure: "check these objects in the app; the side that leads to one object is trusted"
          )
        )
      }
    }
    return findings
  }

  /// The numbers of a to-one relationship, which each entity that inherits it has as its own.
  private static func numbers(
    of name: String,
    to destination: String,
    in shape: XMLStoreShape
  ) -> String {
    shape.entities.values.compactMap { $0.relationships[name] }
      .filter { !$0.isToMany && $0.destination == destination }
      .map { String($0.number) }.sorted().joined(separator: ", ")
  }
}
