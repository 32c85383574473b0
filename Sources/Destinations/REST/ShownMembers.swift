import JSONText
import Profiles
import RequestBodies
import UploadPlanning

/// The members that rows of a list show, of records that a change replaces as a whole.
///
/// Many servers leave out of a row what holds nothing. What the list shows of another record it would show of
/// this one as well; what no row shows, a list leaves out of all, and it is unknown what it holds.
struct ShownMembers {
  /// Those that no row had yet.
  private var unshown: Set<String> = []
  private var seen: Set<String> = []

  init(of api: EntityApi) {
    guard api.update?.isReplacing == true else { return }
    unshown = Set(api.body.map(\.name).filter { api.compare[$0] != .ignored })
  }

  mutating func note(_ rows: [RemoteRecord]) {
    for row in rows {
      if unshown.isEmpty { return }
      guard let members = Self.members(of: row) else { continue }
      let shown = unshown.filter { members[$0] != nil }
      unshown.subtract(shown)
      seen.formUnion(shown)
    }
  }

  /// A row with `null` for each of them that it lacks.
  func filled(_ row: RemoteRecord) -> RemoteRecord {
    guard !seen.isEmpty, var members = Self.members(of: row) else { return row }
    let empty = seen.filter { members[$0] == nil }
    guard !empty.isEmpty else { return row }
    for name in empty { members[name] = JSONValue.null }
    return RemoteRecord(
      serverID: row.serverID,
      version: row.version,
      body: JSONValue.object(members).canonicalBytes,
      denial: row.denial
    )
  }

  private static func members(of row: RemoteRecord) -> JSONObject? {
    do throws(JSONError) { return try JSONValue(parsing: row.body).object } catch { return nil }
  }
}
