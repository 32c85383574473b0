import DestinationModel
import JSONText

/// Where in a list reading is, and what shows that the list still is the one that was begun.
///
/// Its text is the mark that callers hand back; to them it means nothing.
struct PageCursor: Sendable {
  /// The count of rows passed over, or the destination's cursor; `nil` at the beginning.
  private(set) var position: String?
  /// The greatest version of the first page: from where changes are asked for the next time, where the
  /// destination gives no mark of its own.
  ///
  /// Nothing is missed by it, in whatever order the list is. What changes once the first page was read
  /// gets a version greater than all that were given until then, and so than this one: it comes the
  /// next time. What does not change any more is on one of the pages as it is. The greatest version
  /// of a later page would not do: a record may change after its page was read and before that version
  /// was given, and would be passed by the next time. What comes twice does no harm.
  private(set) var greatest: String?
  /// The identity of the last row, with which the next page of a counted list has to begin again;
  /// `nil` where a page may hold one row only.
  private(set) var last: String?
  /// How often the list was begun again because it changed under the reading.
  private(set) var restarts = 0
  private var lap = PageCycleDetector()

  /// The first page of a list.
  init() {}

  init(_ mark: String?) throws(DestinationError) {
    guard let mark else { return }
    do throws(JSONError) {
      let parts = try JSONValue(parsing: mark)
      position = parts["position"]?.text
      greatest = parts["greatest"]?.text
      last = parts["last"]?.text
      restarts = Int(parts["restarts"]?.integer ?? 0)
      lap = PageCycleDetector(parts["lap"])
    } catch {
      throw .damagedCursor
    }
  }

  /// The mark of the page that begins at a position, after one with these rows.
  ///
  /// `overlaps` says whether that page has to begin with the last of them.
  ///
  /// - Returns: `nil` when reading has come by here before and would never end.
  func text(at position: String, after ids: [String], overlaps: Bool) -> String? {
    guard let lap = lap.next(position: position, ids: ids) else { return nil }
    var mark = JSONObject()
    mark["position"] = .string(position)
    mark["greatest"] = greatest.map { .string($0) }
    mark["last"] = overlaps ? ids.last.map { .string($0) } : nil
    mark["restarts"] = .number(JSONNumber(Int64(restarts)))
    mark["lap"] = lap.value
    return JSONValue.object(mark).canonicalText
  }

  /// The beginning again; `nil` when that was done too often.
  var restarted: PageCursor? {
    guard restarts < PageCycleDetector.mostRestarts else { return nil }
    var mark = PageCursor()
    mark.restarts = restarts + 1
    return mark
  }

  /// Whether a page with this first row goes on where the one before ended.
  func continues(with first: String?) -> Bool {
    last.map { JSONName($0) } == first.map { JSONName($0) }
  }

  /// Whether a page has the rows of one before.
  func repeats(_ ids: [String]) -> Bool { lap.holds(ids) }

  /// The count of rows before this page.
  var passed: Int { position.flatMap { Int($0) } ?? 0 }

  /// Takes in the versions of a page; those of a later page than the first say nothing.
  mutating func note(_ versions: [String?]) {
    guard position == nil else { return }
    for case let version? in versions {
      if greatest.map({ Self.isLess($0, version) }) ?? true { greatest = version }
    }
  }

  /// Numbers by their value, all else by its bytes: instants of one form are in order that way.
  private static func isLess(_ left: String, _ right: String) -> Bool {
    if let left = Int64(left), let right = Int64(right) { return left < right }
    return left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
