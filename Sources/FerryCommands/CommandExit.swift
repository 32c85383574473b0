import CommandOutput
import Foundation
package import Reporting

/// Ends a command with a status, after everything a person should know was printed.
package struct CommandExit: Error {
  package let status: ExitStatus
}

/// Ends the process at once; what was written to standard output must have arrived.
func leave(_ status: ExitStatus) -> Never {
  exit(ResultOutput.settled(status).rawValue)
}
