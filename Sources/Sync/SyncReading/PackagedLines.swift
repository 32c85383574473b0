package import ExportPackage
package import Records
package import RequestMapping
import StageSupport
package import UploadPlanning

/// The records of an entity, one after the other.
package struct PackagedLines {
  package struct Line: Sendable {
    package let bytes: [UInt8]
    package let source: RecordSource
  }

  /// Records that lie together.
  package struct Part: Sendable {
    static let size = 64
    package var lines: [Line] = []
  }

  /// From where they come: the package's own, or those that the changes in its queue make.
  private enum Origin {
    case records(RecordStream)
    case changes(ArraySlice<RecordSource>)
  }

  private var origin: Origin
  private let package: PackageReader

  package init(
    of entity: EntityName,
    in package: PackageReader,
    _ mappings: RequestMappings
  ) throws {
    self.package = package
    if let sources = mappings.queuedSources(of: entity) {
      origin = .changes(sources[...])
    } else {
      origin = .records(
        try package.records(of: entity)
      )
    }
  }

  package mutating func next() throws -> Line? {
    switch origin {
    case .records(let stream):
      return try stream.take().map { Line(bytes: $0.line, source: RecordSource($0.place)) }
    case .changes(let sources):
      guard let source = sources.first else { return nil }
      origin = .changes(sources.dropFirst())
      let bytes = try package.record(at: source)
      return Line(bytes: bytes, source: source)
    }
  }

  /// The next records, a part of them; `nil` after the last.
  package mutating func nextPart() throws -> Part? {
    var part = Part()
    while part.lines.count < Part.size, let line = try next() {
      part.lines.append(line)
    }
    return part.lines.isEmpty ? nil : part
  }
}

extension RequestMappings {
  /// Lends each record of an entity that the package has, or that the changes in its queue make.
  package func forEachRecord(
    of entity: EntityName,
    in package: PackageReader,
    _ body: (_ line: [UInt8], _ source: RecordSource) throws -> Void
  ) throws {
    var lines = try PackagedLines(of: entity, in: package, self)
    while let line = try lines.next() { try body(line.bytes, line.source) }
  }
}
