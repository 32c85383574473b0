package import Checkpoint
package import DestinationModel
package import DocumentChecking
package import ExportPackage
package import Files
package import LegacyFiles
package import ManagedObjectModels
package import ProfileSettings
package import Quarantine
package import RecordUpgrades
package import SchemaValidation
package import StoreFiles

// What the errors of the modules below are to a person.

extension FileError: ExplainedError {
  package var failure: Failure { failure(otherwise: .other) }

  /// A full disk may pass, and what the system would not write says nothing of the file; anything else
  /// is of the kind that a file which cannot be read is to the module that reads it.
  fileprivate func failure(otherwise kind: Failure.Kind, cure: String? = nil) -> Failure {
    let kind = isDiskFull ? .passing : isOfTheSystem ? .other : kind
    return Failure(kind, self, cure: self.cure ?? cure)
  }
}

extension StoreError: ExplainedError {
  package var failure: Failure {
    switch self {
    case .file(let error): error.failure(otherwise: .source, cure: cure)
    case .diskFull: Failure(.passing, self, cure: cure)
    default: Failure(.source, self, cure: cure)
    }
  }
}

extension LegacyFileError: ExplainedError {
  package var failure: Failure {
    if case .file(let error) = self { return error.failure(otherwise: .source, cure: cure) }
    return Failure(.source, self, cure: cure)
  }
}

extension ModelFault: ExplainedError {
  package var failure: Failure { Failure(.source, self, cure: cure) }
}

extension ProfileError: ExplainedError {
  package var failure: Failure { Failure(.mismatch, self) }
}

extension SchemaError: ExplainedError {
  package var failure: Failure {
    Failure(.mismatch, self, cure: "correct the schema; export again where a package has it")
  }
}

extension UpgradesError: ExplainedError {
  package var failure: Failure { Failure(.mismatch, self, cure: "correct the file") }
}

extension PackageError: ExplainedError {
  package var failure: Failure {
    switch self {
    case .file(let error): error.failure(otherwise: .mismatch)
    case .missing: Failure(.usage, self)
    case .busy: Failure(.locked, self, cure: "wait for it, or end it")
    case .notAPackage, .tooNew, .damaged, .unsteadyMedia, .sealed, .notForUs, .sealedOtherwise:
      Failure(.mismatch, self)
    }
  }
}

extension DocumentError: ExplainedError {
  package var failure: Failure {
    switch self {
    case .file(let error): error.failure(otherwise: .other, cure: cure)
    case .schema: Failure(.mismatch, self, cure: cure)
    case .malformed, .empty, .tooLarge, .lineTooLong: Failure(.invalid, self, cure: cure)
    }
  }
}

extension QuarantineError: ExplainedError {
  package var failure: Failure {
    switch self {
    case .file(let error): error.failure
    case .damaged, .tooNew, .edited, .foreign: Failure(.mismatch, self, cure: cure)
    case .unknown: Failure(.usage, self, cure: cure)
    }
  }
}

extension CheckpointError: ExplainedError {
  package var failure: Failure {
    switch self {
    case .locked: Failure(.locked, self, cure: "wait for the other run, or end it")
    case .belongsElsewhere:
      Failure(.mismatch, self, cure: "use the state folder of this store and account")
    case .otherFormat: Failure(.mismatch, self, cure: "use that version of ferry")
    case .notAPlan: Failure(.mismatch, self, cure: "name another file")
    case .notACheckpoint:
      Failure(
        .mismatch,
        self,
        cure:
          "move it out of the state folder: without it, ferry adopts what is at the account and goes on"
      )
    case .damaged:
      Failure(
        .mismatch,
        self,
        cure: "move it away: without it, ferry adopts what is at the account and goes on"
      )
    case .overtaken:
      Failure(.mismatch, self, cure: "let only one run at a time work on a store")
    case .unreadable:
      Failure(.other, self, cure: "check that it is yours and the disk is sound, and run again")
    case .link(_, let link):
      Failure(
        .other,
        self,
        cure:
          "remove the link \(link), and put what it leads to in its place if that is the checkpoint"
      )
    case .unwritable:
      Failure(.other, self, cure: "check that the folder can be written and the disk has space")
    case .full: Failure(.passing, self, cure: "free some space on that disk")
    }
  }
}

extension DestinationError: ExplainedError {
  package var failure: Failure {
    switch self {
    case .unreachable:
      Failure(.passing, self, cure: "check that the address is right and the server runs")
    case .page: Failure(.passing, self, cure: Self.cureOfPage)
    case .busy: Failure(.passing, self, cure: "wait, then run the same command again")
    case .unauthorized:
      Failure(.refused, self, cure: "check that the credentials given with --credential are right")
    case .forbidden:
      Failure(.refused, self, cure: "use an account that may write these records")
    case .quota:
      Failure(.refused, self, cure: "free some space at the account, or raise its quota")
    case .unexpected:
      Failure(
        .refused,
        self,
        cure: "check that the address is that of the backend the profile describes"
      )
    case .elsewhere: Failure(.refused, self)
    case .misconfigured: Failure(.usage, self)
    case .otherAccount:
      Failure(
        .mismatch,
        self,
        cure: "sign in as the account that the run began with, and run it again"
      )
    }
  }
}
