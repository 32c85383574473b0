package import Profiles
package import Records
import StageSupport
package import UploadPlanning

/// Which phases an upload has, and in which order.
///
/// Media files go first, for records that name them; then, for each entity with parents before
/// children, what is made or changed, and what the destination takes only from a record that is
/// there. Where that names other records, it goes once all entities were sent, and so do changes: so
/// records may name each other in a circle. What the user deleted goes last, children before parents.
package struct PhaseLayout: Hashable, Sendable {
  package let phases: [RunPhase]
  private let numbers: [RunPhase: Int]
  /// The entities whose records may name such as are made later.
  private let deferred: Set<EntityName>

  package init(profile: Profile, takesMedia: Bool) {
    var phases: [RunPhase] = []
    var deferred: Set<EntityName> = []
    if takesMedia {
      for category in profile.mediaCategories {
        phases.append(RunPhase(entity: .media(category), kind: .media))
      }
    }
    for entity in profile.entities where entity.outcomeWithoutSending(profile.api) == nil {
      phases.append(RunPhase(entity: entity.name, kind: .send))
      if !Self.isDeferred(entity, profile) {
        phases.append(RunPhase(entity: entity.name, kind: .complete))
      }
    }
    for entity in profile.entities
    where entity.outcomeWithoutSending(profile.api) == nil && Self.isDeferred(entity, profile) {
      phases.append(RunPhase(entity: entity.name, kind: .complete))
      deferred.insert(entity.name)
    }
    for entity in profile.entities.reversed()
    where entity.outcomeWithoutSending(profile.api) == nil {
      phases.append(RunPhase(entity: entity.name, kind: .remove))
    }
    self.phases = phases
    self.deferred = deferred
    numbers = Dictionary(
      phases.enumerated().map { ($1, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  package func sendPhase(of entity: EntityName) -> Int {
    numbers[RunPhase(entity: entity, kind: .send)] ?? 0
  }

  /// In which phase a record that is there is changed.
  package func updatePhase(of entity: EntityName) -> Int {
    deferred.contains(entity) ? completePhase(of: entity) : sendPhase(of: entity)
  }

  private static func isDeferred(_ entity: EntityProfile, _ profile: Profile) -> Bool {
    profile.api?.entity(entity.name)?.deferredReferences.isEmpty == false
  }

  package func completePhase(of entity: EntityName) -> Int {
    numbers[RunPhase(entity: entity, kind: .complete)] ?? 0
  }

  package func removePhase(of entity: EntityName) -> Int {
    numbers[RunPhase(entity: entity, kind: .remove)] ?? 0
  }

  package func mediaPhase(of entity: EntityName) -> Int? {
    numbers[RunPhase(entity: entity, kind: .media)]
  }
}

extension PhaseLayout {
  /// The phase in which a rollback rolls back what an upload did; `nil` where there is no place for it.
  package func phase(ofUndoing action: Operation.Action, on entity: EntityName) -> Int? {
    phase(of: action, on: entity).map { phases.count - 1 - $0 }
  }

  /// The phase in which an upload carries an action out; `nil` where there is no place for it.
  private func phase(of action: Operation.Action, on entity: EntityName) -> Int? {
    func isThere(_ kind: RunPhase.Kind) -> Bool {
      phases.contains(RunPhase(entity: entity, kind: kind))
    }
    return switch action {
    case .create: isThere(.send) ? sendPhase(of: entity) : nil
    case .update: isThere(.send) ? updatePhase(of: entity) : nil
    case .complete: isThere(.complete) ? completePhase(of: entity) : nil
    case .delete: isThere(.remove) ? removePhase(of: entity) : nil
    case .upload: mediaPhase(of: entity)
    case .uncreate, .restore, .unupload, .discard: nil
    }
  }
}

/// One phase of a run.
package struct RunPhase: Hashable, Sendable {
  package let entity: EntityName
  package let kind: Kind

  /// What is done in a phase.
  package enum Kind: Hashable, Sendable {
    /// Media files are sent.
    case media
    /// Records are made or changed.
    case send
    /// What the destination takes only from a record that is there.
    case complete
    /// Records that the user deleted are removed.
    case remove
  }
}
