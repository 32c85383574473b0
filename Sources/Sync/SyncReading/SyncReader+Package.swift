package import ExportPackage
import Records
package import RequestMapping
import StageSupport
package import UploadPlanning

// What the package says of the record that an operation is about.

extension SyncReader {
  /// The record that an operation is about, or why it is missing; `line` is its line, where that was
  /// read.
  package func record(
    of operation: Operation,
    line: [UInt8]? = nil
  ) -> Result<MappedRecord, MappingError> {
    do throws(MappingError) {
      let bytes = if let line { line } else { try self.line(of: operation).1 }
      return .success(try mappings[operation.record.entity].record(bytes))
    } catch {
      return .failure(error)
    }
  }

  /// The fields of the record an operation is about, with references as the destination knows them.
  ///
  /// Each needs what the references name that it sends. What is left as it is at
  /// the destination is left as `current` has it, or else as it was before the operation.
  package func form(
    of operation: Operation,
    over current: [UInt8]? = nil
  ) throws(MappingError) -> RequestFieldSet {
    let resolver = operation.action.isUndo ? namingRemoved(resolver) : resolver
    let form = try record(of: operation).get()
      .form(resolver.leavingOpen(operation.action.openReferences))
    guard operation.action == .update || operation.action == .restore else { return form }
    guard let sent = try overrides(of: operation) else { return form }
    return form.overridden(by: try filled(sent, operation, over: current))
  }

  /// The line of the record that an operation is about.
  package func line(of operation: Operation) throws(MappingError) -> (PackageReader, [UInt8]) {
    guard let package, let source = operation.source else {
      throw MappingError(code: "package.missing", reason: "its record is not in the package")
    }
    do throws(PackageError) {
      let line = try package.record(at: source)
      if operation.action.sendsRecord, !operation.isPlanned(with: line) {
        throw .damaged(
          path: package.path,
          reason: "a line of \(source.file) is not the one that was planned to be sent"
        )
      }
      return (package, line)
    } catch {
      var refusal = MappingError(
        code: "package.unreadable",
        reason: error.description,
        isPassing: error.isForWantOfMeans
      )
      refusal.package = error
      throw refusal
    }
  }
}

extension Operation {
  /// Whether a line is the one that it was planned to send.
  package func isPlanned(with line: [UInt8]) -> Bool {
    OperationKey.digest(of: line) == content
  }
}

extension Operation.Action {
  /// Which references of the record it does not send.
  fileprivate var openReferences: OpenReferences {
    switch self {
    case .update: .none
    case .complete: .early
    case .create, .delete, .upload, .uncreate, .restore, .unupload, .discard: .late
    }
  }

  /// Whether what is sent is the record of the package, as its line says it.
  fileprivate var sendsRecord: Bool {
    switch self {
    case .create, .complete, .update: true
    case .delete, .upload, .uncreate, .restore, .unupload, .discard: false
    }
  }
}
