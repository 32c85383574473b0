package import Execution
package import PackageStages
package import StageSupport
import UploadPlanning

extension ValidityRule {
  /// Holds the budget against a plan.
  package func check(_ summary: RunSummary) throws(MigrationError) {
    try check(
      summary.count(.rejected),
      of: summary.records.reduce(0) { $0 + $1.total }
    )
  }
}
