package import Records
import Synchronization

/// Findings that tasks come upon side by side.
package final class FindingCollector: Sendable {
  private let findings = Mutex<[Finding]>([])

  package init() {}

  package var all: [Finding] { findings.withLock { $0 } }

  package func add(_ finding: Finding) { findings.withLock { $0.append(finding) } }

  /// Adds a finding unless there is one of its code and its entity.
  package func addFirst(_ finding: Finding) {
    findings.withLock { findings in
      let isThere = findings.contains { $0.code == finding.code && $0.entity == finding.entity }
      if !isThere { findings.append(finding) }
    }
  }
}
