import Records
import Synchronization

/// Findings that tasks come upon side by side.
final class FindingCollector: Sendable {
  private let findings = Mutex<[Finding]>([])

  var all: [Finding] { findings.withLock { $0 } }

  func add(_ finding: Finding) { findings.withLock { $0.append(finding) } }
}
