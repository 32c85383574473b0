import JSONText
package import ProfileSettings
package import Profiles
package import Records
import RequestBodies

/// A profile held against the model of a store: everything that an export needs to know.
package struct CompiledExport: Sendable {
  package let profile: Profile
  /// One program for each entity that the store has, in the profile's order.
  package let programs: [RecordProgram]
  /// What has no place at the destination, and is in records all the same.
  package let unmapped: [UnmappedName]
  /// Secrets that the app left in its store, and that are in no record.
  package let secrets: [UnmappedName]
  /// Entities that the model calls abstract, and that are neither described nor omitted.
  ///
  /// A store has no rows of them, unless an earlier model of the app let it make some.
  package let undescribedAbstract: [EntityName]

  /// - Throws: `ProfileError` with everything in which the profile does not fit the store.
  package init(profile: Profile, model: StoreModel) throws(ProfileError) {
    let log = FaultLog(of: profile.settings)
    var programs: [RecordProgram] = []
    let entities = profile.entities.filter { $0.waitsIn == nil }.map { $0.resolved(in: model) }
    for entity in entities {
      guard let store = model.entity(named: entity.storeName) else {
        Self.reportAbsent(entity, log: log)
        continue
      }
      var builder = RecordProgramBuilder(
        entity,
        store,
        of: model,
        entities: entities,
        secrets: profile.secrets,
        log: log
      )
      if let program = builder.program() { programs.append(program) }
    }
    let undescribed = Self.undescribed(entities, profile.omittedEntities, model)
    Self.checkCoverage(undescribed, log: log)
    undescribedAbstract = undescribed.filter(\.isAbstract).map(\.name)
    self.profile = profile
    self.programs = programs
    unmapped = Self.unmapped(profile, programs)
    secrets = profile.secrets.held(in: model, entities)
    if let api = profile.api {
      for program in programs { Self.check(program, api, log: log) }
    }
    for program in programs {
      profile.checkNames(of: program.profile, RecordMembers(program), log: log)
    }
    try log.check()
  }

  /// The program of an entity, or `nil`.
  package func program(for entity: EntityName) -> RecordProgram? {
    programs.first { $0.entity == entity }
  }

  /// The member of the records of a list that leads from each back to the list's owner; `nil` where the model calls
  /// none its inverse, or the records do not have it.
  package func inverse(
    of reference: RecordReference,
    in program: RecordProgram,
    of model: StoreModel
  ) -> String? {
    let name = program.profile.attribute(of: MemberPath(names: [reference.member]))
    let store = model.entity(named: program.request.entity)
    guard reference.isToMany,
      let inverse = store?.relationships.first(where: { $0.name == name })?.inverse
    else { return nil }
    let members = reference.targets.compactMap { target -> String? in
      guard let target = self.program(for: target) else { return nil }
      let member = target.profile.member(ofAttribute: inverse)?.names.first
      return target.references.first { $0.member == member && !$0.isToMany }?.member
    }
    return Set(members).count == 1 ? members.first : nil
  }

  /// What has no place at the destination and is not accepted as such.
  package var unacceptedUnmapped: [UnmappedName] {
    unmapped.filter { name in
      !profile.acceptedUnmapped.contains { accepted in
        accepted.entity == name.entity && (accepted.member == nil || accepted.member == name.member)
      }
    }
  }

  private static func reportAbsent(_ entity: EntityProfile, log: FaultLog) {
    guard entity.absent == .refuse else { return }
    log.add(
      at: "/entities/\(entity.name)",
      "the store has no entity “\(entity.storeName)”",
      cure: "correct “from”, or add “absent: omit” for stores that lack it"
    )
  }

  private static func undescribed(
    _ entities: [EntityProfile],
    _ omitted: [EntityName],
    _ model: StoreModel
  ) -> [StoreEntity] {
    let described = Set(entities.map(\.storeName)).union(omitted)
    return model.entities.filter { !described.contains($0.name) }
  }

  /// Every entity of the store must be described, or left out on purpose.
  ///
  /// One that the model calls abstract need not be, unless the store has rows of it all the same.
  private static func checkCoverage(_ undescribed: [StoreEntity], log: FaultLog) {
    for entity in undescribed where !entity.isAbstract {
      log.add(
        at: "/entities",
        "the store's entity “\(entity.name)” is not described",
        cure: "describe it, or list it under “omit-entities”"
      )
    }
  }

  private static func unmapped(
    _ profile: Profile,
    _ programs: [RecordProgram]
  ) -> [UnmappedName] {
    guard let api = profile.api else { return [] }
    var names: [UnmappedName] = []
    for program in programs where program.profile.role == .own {
      guard let entity = api.entity(program.entity) else {
        names.append(UnmappedName(entity: program.entity, member: nil))
        continue
      }
      let homeless = Set(api.unmapped(of: entity, program.profile))
      for member in program.members where homeless.contains(member) {
        names.append(UnmappedName(entity: program.entity, member: member))
      }
    }
    return names.sorted()
  }

  private static func check(_ program: RecordProgram, _ api: Api, log: FaultLog) {
    guard let entity = api.entity(program.entity) else { return }
    let place = "/api/entities/\(entity.entity)"
    let members = program.members.filter { !program.profile.bookkeeping.contains($0) }
    for member in entity.unused(of: members) {
      log.add(
        at: place,
        "“\(member)” of the record goes nowhere",
        cure: "use it in “body”, or list it under “unmapped”"
      )
    }
    let order = api.entities.map(\.entity)
    for rule in entity.body {
      guard case .reference(let member) = rule.source else { continue }
      guard let reference = program.references.first(where: { $0.member == member }) else {
        guard program.members.contains(member) else { continue }
        log.add(
          at: "\(place)/body/\(rule.name)",
          "“\(member)” names no record of an entity of this profile",
          cure: "take a field that is a reference"
        )
        continue
      }
      let own = order.firstIndex(of: entity.entity) ?? order.endIndex
      for target in reference.targets {
        let targetPlace = order.firstIndex(of: target)
        // What is sent once all records are there may lead to any that is sent.
        if let targetPlace, rule.isDeferredReference || targetPlace < own { continue }
        let above = "put the entry of \(target) above"
        let later = "write “on: complete”, and it goes once all records are there"
        log.add(
          at: "\(place)/body/\(rule.name)",
          "\(target) is not sent before \(entity.entity)",
          cure: target == entity.entity
            ? later : targetPlace == nil ? above : "\(above), or \(later)"
        )
      }
    }
  }
}
