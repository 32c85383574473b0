import JSONText
import PropertyLists

/// A member of a row, under the name that the row has for it.
struct PreferenceMember {
  let name: String
  let value: PreferenceValue

  static func all(of members: [PropertyList.Member]) -> [PreferenceMember] {
    members.map { PreferenceMember(name: $0.name, value: .list($0.value)) }
  }

  static func all(of object: JSONObject) -> [PreferenceMember] {
    object.members.map { PreferenceMember(name: $0.name, value: .json($0.value)) }
  }
}
