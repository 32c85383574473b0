// helpers: Tests/Fuzzing/FuzzFolder.swift
import Files
import Records
import StoreFiles
import StoreReading

private let folder = FuzzFolder()

private let endings = [".csv", ".tsv", ".json", ".jsonl"]

extension FuzzTarget {
  /// The input, behind a byte that chooses the form, as a file of rows or objects, may be refused, and is
  /// never written; of what is not refused every row is read that is not named as unreadable.
  static let table = FuzzTarget("table") { input, report in
    guard let form = input.first else { return }
    let input = UnsafeBufferPointer(rebasing: input.dropFirst())
    let path = folder.write(input, to: "table" + endings[Int(form) % endings.count])
    do throws(StoreError) {
      let source = try Source(
        path,
        options: Source.Options(readsDamaged: true),
        into: folder.path("private")
      )
      for entity in source.store.model.entities {
        let fields = entity.attributes.map { FieldRequest.attribute(path: [$0.name]) }
        let reader = try source.store.rows(RowRequest(entity: entity.name, fields: fields))
        var rows = 0
        while try reader.next() { rows += 1 }
        let counted = try source.store.rowCount(of: entity.name)
        report.expect(rows == counted, "\(rows) rows were read and \(counted) counted")
      }
    } catch {
      report.expectReason(error.description)
      report.expectReason(error.cure)
    }
    do throws(FileError) {
      let left = try InputFile.contents(of: path)
      report.expect(left.elementsEqual(input), "the source was written")
    } catch {
      report.complain("the source is gone: \(error)")
    }
  }
}
