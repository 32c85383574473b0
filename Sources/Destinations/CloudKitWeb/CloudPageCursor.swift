import DestinationModel
import JSONText

/// Where the reading of a zone's changes, or of a query, goes on, and what shows that it comes to an end.
///
/// Its text is the mark that callers hand back; to them it means nothing.
struct CloudPageCursor: Sendable {
  /// The service's token or marker; `nil` at the beginning.
  private(set) var token: String?
  /// How often the reading was begun again because a token was not taken any more.
  private var restarts = 0
  private var lap = PageCycleDetector()

  /// The most pages without an entry that are read one after the other: the service may look through much
  /// of a zone and find nothing to report.
  private static let mostEmpty = 5_000

  init(_ mark: String?) throws(DestinationError) {
    guard let mark else { return }
    do throws(JSONError) {
      let parts = try JSONValue(parsing: mark)
      token = parts["token"]?.text
      restarts = Int(parts["restarts"]?.integer ?? 0)
      lap = PageCycleDetector(parts["lap"])
    } catch {
      throw .damagedCursor
    }
  }

  /// The beginning again; `nil` when that was done too often.
  var restarted: CloudPageCursor? {
    guard restarts < PageCycleDetector.mostRestarts else { return nil }
    var mark = self
    mark.token = nil
    mark.lap = PageCycleDetector()
    mark.restarts += 1
    return mark
  }

  /// The mark of the page that the service gives for a token, after one with these entries.
  ///
  /// A record that was changed meanwhile has another tag, so that it is another entry.
  ///
  /// - Throws: `DestinationError.unexpected(request:reason:)` where reading has come by here before
  ///   and would never end.
  func text(
    at next: String,
    after entries: [JSONValue],
    to request: String
  ) throws(DestinationError) -> String {
    let ids = entries.map { entry in
      "\(entry["recordName"]?.text ?? "")\n\(entry["recordChangeTag"]?.text ?? "")"
    }
    guard let lap = lap.next(position: next, ids: ids, mostEmpty: Self.mostEmpty) else {
      throw .unexpected(
        request: request,
        reason: "the pages repeat or hold nothing, so that the reading would never end"
      )
    }
    var mark = JSONObject()
    mark["token"] = .string(next)
    mark["restarts"] = .number(JSONNumber(Int64(restarts)))
    mark["lap"] = lap.value
    return JSONValue.object(mark).canonicalText
  }
}
