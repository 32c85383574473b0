import Checkpoint
import DestinationModel
import ExportPackage
import Files
import Quarantine
import Reporting
import StageSupport
import StoreFiles
import StoreReading
import Testing
import UploadPlanning

struct ExitStatusTests {
  @Test func `the numbers of exit statuses are fixed`() {
    let numbers = ExitStatus.allCases.map { "\($0)=\($0.rawValue)" }
    #expect(
      numbers == [
        "done=0", "failure=1", "planHasChanges=2", "finishedWithRejects=3", "invalid=4",
        "passingFault=5", "differences=6", "refused=7", "limitReached=8", "sourceUnusable=10",
        "locked=11", "mismatch=12", "usage=64", "interrupted=130", "terminated=143",
      ]
    )
  }

  @Test func `an interruption ranks above every status but an immediate end`() {
    #expect(ExitStatus.strongest([.finishedWithRejects, .interrupted, .refused]) == .interrupted)
    #expect(ExitStatus.strongest([.interrupted, .locked]) == .locked)
  }

  @Test func `a refusal ranks above a passing fault`() {
    #expect(ExitStatus.strongest([.passingFault, .refused]) == .refused)
  }

  @Test func `a run without failures has the status done`() {
    #expect(ExitStatus.strongest([]) == .done)
  }

  @Test func `only passing faults may be retried by a machine`() {
    let retriable = ExitStatus.allCases.filter(\.mayRetry)
    #expect(retriable == [.passingFault, .locked, .interrupted, .terminated])
  }

  @Test func `a server that cannot be reached is a passing fault`() {
    let error = DestinationError.unreachable(origin: "http://a", reason: "refused")
    #expect(ExitStatus(error) == .passingFault)
  }

  @Test
  func `a page in place of answers is a passing fault, as where a network asks for a sign-in`() {
    let error = DestinationError.page(origin: "http://a", reason: "200 with a page of HTML")
    #expect(error.isPassing)
    #expect(ExitStatus(error) == .passingFault)
  }

  @Test func `a refused sign-in is a refusal`() {
    #expect(ExitStatus(DestinationError.unauthorized(reason: "no")) == .refused)
  }

  @Test func `a checkpoint of another account is a mismatch`() {
    let error = CheckpointError.belongsElsewhere(what: "account", recorded: "a", now: "b")
    #expect(ExitStatus(error) == .mismatch)
  }

  @Test func `a checkpoint that another run holds has the status locked`() {
    #expect(ExitStatus(CheckpointError.locked(path: "c", holder: nil)) == .locked)
  }

  @Test(arguments: [FileError.Operation.create, .write, .sync, .rename, .makeFolder, .lock])
  func `a disk without write access is not blamed on package or source`(
    operation: FileError.Operation
  ) {
    let error = FileError(operation, "/there", number: 13)
    let errors: [any Error] = [
      PackageError.file(error), StoreError.file(error), QuarantineError.file(error), error,
    ]
    #expect(errors.allSatisfy { ExitStatus($0) == .failure })
  }

  @Test func `a full disk is a passing fault: the same line resumes`() throws {
    let error = FileError(.write, "/there", number: 28)
    let errors: [any Error] = [
      PackageError.file(error), StoreError.file(error), QuarantineError.file(error), error,
      StoreError.diskFull(path: "/s", byteCount: 2, folder: "/t", free: 1),
      CheckpointError.full(path: "/c"),
    ]
    for error in errors {
      #expect(ExitStatus(error) == .passingFault)
      let cure = try #require(Failure(error).cure)
      #expect(cure.contains("space"))
    }
  }

  @Test func `a lack of file descriptors is not blamed on package or source`() {
    let error = FileError(.open, "/there", number: 24)
    #expect(ExitStatus(PackageError.file(error)) == .failure)
    #expect(ExitStatus(StoreError.file(error)) == .failure)
  }

  @Test func `an unreadable source has the status for sources`() {
    let error = FileError(.open, "/there", number: 2)
    #expect(ExitStatus(StoreError.file(error)) == .sourceUnusable)
    #expect(ExitStatus(PackageError.file(error)) == .mismatch)
  }

  @Test func `an interrupted run has the status interrupted`() {
    #expect(ExitStatus(EngineConclusion.interrupted) == .interrupted)
  }
}
