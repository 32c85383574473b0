package import DestinationModel
import PackageStages
import ProfileSettings
package import Profiles
import Records
import StageSupport

/// What can be known without a network of a profile and of the destination that it describes.
///
/// `ferry profile check` shows it alone, ``Preflight`` beside what the destination answers. What a profile
/// says wrongly in itself is refused when it is read, and is no part of this.
package enum OfflineChecks {
  /// Looks for the schemas, for entities that no route lists, and for what goes nowhere.
  ///
  /// Only what does not fit, what has no place, and what cannot be known is in the answer.
  package static func of(_ profile: Profile) -> [DestinationCheck] {
    var checks = schemas(of: profile)
    if let api = profile.api, api.kind.hasRoutes {
      checks += api.entities.filter { $0.list == nil }.map { unlisted($0) }
    }
    return checks + unmapped(by: profile) + lostKeys(of: profile)
  }

  /// Looks whether each of these credentials is given, and can be read where that takes no program and no
  /// question.
  package static func credentials(
    _ names: [String],
    in source: any CredentialSource
  ) -> [DestinationCheck] {
    names.compactMap { name in
      source.fault(of: name).map { DestinationCheck("credentials", $0) }
    }
  }

  /// The schemas that are neither published nor beside the profile, and the first one that is not a schema.
  static func schemas(of profile: Profile) -> [DestinationCheck] {
    var found: [PackagedSchema] = []
    let missing = profile.entities.compactMap { entity -> DestinationCheck? in
      do {
        found += try PackagedSchema.all([entity.schema], beside: profile.path, of: profile)
          .filter { !found.contains($0) }
        return nil
      } catch {
        return unfit(error, of: entity.name)
      }
    }
    guard missing.isEmpty else { return missing }
    do {
      try found.check()
      return []
    } catch {
      return [unfit(error)]
    }
  }

  private static func unfit(_ error: any Error, of entity: EntityName? = nil) -> DestinationCheck {
    if let fault = (error as? ProfileError)?.faults.first {
      let place = fault.line.map { "\(fault.file):\($0): " } ?? ""
      return DestinationCheck("schema", of: entity, .unfit, place + fault.cause, cure: fault.cure)
    }
    let failure = Failure(error)
    return DestinationCheck("schema", of: entity, .unfit, failure.message, cure: failure.cure)
  }

  /// An entity whose records no route of the profile lists.
  static func unlisted(_ entity: EntityApi) -> DestinationCheck {
    DestinationCheck("records", of: entity.entity, .unknown, "the profile cannot list them")
  }

  /// That no route of the profile says which fields records have at the destination.
  static func uncompared(by profile: Profile) -> [DestinationCheck] {
    guard let api = profile.api, api.kind.hasRoutes, api.schemaRoute == nil else { return [] }
    return [
      DestinationCheck(
        "fields",
        .unknown,
        "the fields that records have at the destination were not looked at: the profile has no "
          + "“schema-from”",
        cure: "name the route that describes the collections, if the destination has one"
      )
    ]
  }

  /// What the profile sends nowhere, and the team has not accepted as lost.
  static func unmapped(by profile: Profile) -> [DestinationCheck] {
    guard let api = profile.api else { return [] }
    return api.entities.compactMap { entity in
      guard let description = profile.entity(entity.entity) else { return nil }
      let members = api.unmapped(of: entity, description)
        .filter { !profile.accepts(entity.entity, $0) }
      guard !members.isEmpty else { return nil }
      let files = Set(description.media.map(\.member)).intersection(members)
      return DestinationCheck(
        "members",
        of: entity.entity,
        .unmapped,
        "no place for \(members.joined(separator: ", "))",
        cure: (files.isEmpty || api.sendsFiles ? "" : "enable “media” in “api” to send files; ")
          + "list what the team agrees to leave out under “accept-unmapped”"
      )
    }
  }

  /// The keys that no field has, where the destination's identities are made of them.
  ///
  /// A UUID stays what it is by ``ClientID/uuid``. Only a plan, which reads the records, counts the keys that are none.
  static func lostKeys(of profile: Profile) -> [DestinationCheck] {
    guard let api = profile.api else { return [] }
    let keepsUUIDs = api.clientID == .uuid
    return api.entities.compactMap { entity in
      guard let description = profile.entity(entity.entity),
        let key = api.lostKey(of: entity, description),
        !profile.accepts(entity.entity, key)
      else { return nil }
      return DestinationCheck(
        "members",
        of: entity.entity,
        keepsUUIDs ? .unknown : .unmapped,
        keepsUUIDs
          ? "for a key in \(key) that is no UUID, an ID is made, and no field has the key itself"
          : "the destination's IDs are made of \(key), and no field has the key itself",
        cure: "give “\(key)” a field of its own in “body”, or list “\(entity.entity).\(key)” under "
          + "“accept-unmapped” once the team has agreed"
      )
    }
  }
}
