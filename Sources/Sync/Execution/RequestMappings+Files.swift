import DestinationModel
import ExportPackage
import Files
import Profiles
import Records
import RequestMapping
import UploadPlanning

// The files of the package that requests carry.

extension RequestMappings {
  /// The file that an upload is about, which one of the record's members names.
  func media(
    of operation: Operation,
    in line: [UInt8],
    package: PackageReader
  ) throws(MappingError) -> OutgoingMedia {
    for mapping in all {
      let record = try mapping.record(line)
      for file in record.media where file.digest == operation.content {
        guard .media(file.rule.category) == operation.record.entity,
          file.key(of: record.id) == operation.record.key
        else { continue }
        guard let media = outgoing(file, of: record, package) else {
          throw MappingError(code: "media.missing", reason: "the package no longer has the file")
        }
        return media
      }
    }
    throw MappingError(code: "media.unknown", reason: "the record names no such file")
  }

  /// The files that are parts of the record itself, where the destination keeps them so.
  func parts(of record: MappedRecord, package: PackageReader) -> [OutgoingMedia] {
    record.media.filter { $0.field != nil }.compactMap { outgoing($0, of: record, package) }
  }

  /// The files that the requests of a record carry as parts of forms.
  func carriedParts(
    of record: MappedRecord,
    package: PackageReader
  ) throws(MappingError) -> [OutgoingMedia] {
    try record.carriedParts.compactMap { part in
      let file = part.file
      // Bytes that the record has are not read from anywhere.
      let held = file.bytes.map { _ in FileSource("sha256:\(file.digest)") }
      guard let id = record.id, let source = held ?? package.media(file.digest) else { return nil }
      var media = OutgoingMedia(
        source: source,
        size: file.size,
        digest: file.digest,
        category: part.field,
        name: file.name,
        mediaType: file.mediaType
      )
      media.place = OutgoingMedia.Place(
        entity: id.entity,
        record: clientID(of: id),
        field: part.field
      )
      media.held = file.bytes
      return media
    }
  }

  private func outgoing(
    _ file: RecordMedia,
    of record: MappedRecord,
    _ package: PackageReader
  ) -> OutgoingMedia? {
    guard let source = package.media(file.digest) else { return nil }
    var media = OutgoingMedia(
      source: source,
      size: file.size,
      digest: file.digest,
      category: file.rule.category,
      name: file.name,
      mediaType: file.mediaType
    )
    if let field = file.field, let id = record.id {
      media.place = OutgoingMedia.Place(entity: id.entity, record: clientID(of: id), field: field)
    }
    return media
  }
}
