// seeds: nskeyed
import JSONText
import PropertyLists

extension FuzzTarget {
  /// An archive may be refused, and nothing else may happen; what is taken JSON can hold.
  static let keyedArchive = FuzzTarget("keyed-archive") { input, report in
    do throws(PropertyListError) {
      let json = try KeyedArchive(bytes: Array(input)).json()
      do throws(JSONError) {
        _ = try JSONValue(parsing: json)
      } catch {
        report.complain("what was written is not JSON: \(error)")
      }
    } catch {
      report.expectReason(error.description)
    }
  }
}
