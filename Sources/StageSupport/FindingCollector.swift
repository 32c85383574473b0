import Records
import Synchronization

/// Findings that tasks come upon side by side.
final class FindingCollector: Sendable {
  private let findings = Mutex<[Finding]>([])

  var all: [Finding] { findings.withLock { $0 } }

  func add(_ finding: Finding) { findings.withLock { $0.append(finding) } }

  /// Adds a finding unless there is one of its code and its entity.
  func addFirst(_ finding: Finding) {
    findings.withLock { findings in
      let isThere = findings.contains { $0.code == finding.code && $0.entity == finding.entity }
      if !isThere { findings.append(finding) }
    }
  }
}
