import JSONText
package import ProfileSettings
package import Profiles

extension Profile {
  /// The settings of `api` that say where the destination is asked, and how a person signs in there.
  private static let addresses = [
    "account", "basic", "credentials", "forbidden", "headers", "sign-in", "sync",
  ]

  /// The same for one entity.
  private static let routes = ["create", "delete", "list", "read", "update"]

  /// This profile with the routes of another one, which says nothing else: fields, identities, comparisons
  /// and what is sent stay as they are.
  ///
  /// The routes of files are taken as well, unless only one of the two sends files.
  ///
  /// - Throws: ``ProfileError`` where what stays and the other routes contradict each other.
  package func withRoutes(of other: Profile) throws(ProfileError) -> Profile {
    guard var root = meaning.object, var api = meaning["api"]?.object,
      let otherAPI = other.meaning["api"]?.object
    else { return self }
    for name in Self.addresses { api[name] = otherAPI[name] }
    if self.api?.sendsFiles == other.api?.sendsFiles { api["media"] = otherAPI["media"] }
    var entities = api["entities"]?.object ?? JSONObject()
    for member in entities.members {
      guard var entity = member.value.object,
        let otherEntity = otherAPI["entities"]?[member.name]?.object
      else { continue }
      for name in Self.routes { entity[name] = otherEntity[name] }
      entities[member.name] = .object(entity)
    }
    api["entities"] = .object(entities)
    root["api"] = .object(api)
    var profile = try Profile(yaml: Self.expandedText(of: .object(root)), path: path)
    // Its lines are in no file.
    profile.settings = .unwritten(in: path)
    return profile
  }
}
