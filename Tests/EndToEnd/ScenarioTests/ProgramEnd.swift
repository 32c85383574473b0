import TestSupport
import Testing

/// How a run of the program ended, and all that it printed.
protocol ProgramEnd: CustomStringConvertible {
  var status: Int32 { get }
  var standardOutput: String { get }
  var standardError: String { get }
}

extension ProgramEnd {
  var description: String { standardOutput + standardError }

  /// Expects this exit status; what the program printed is shown where it is another.
  @discardableResult
  func exits(_ status: Int32, at location: SourceLocation = #_sourceLocation) -> Self {
    #expect(self.status == status, "\(self)", sourceLocation: location)
    return self
  }
}

extension FerryProgram.Finished: ProgramEnd {}
