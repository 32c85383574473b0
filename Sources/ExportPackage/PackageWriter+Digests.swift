import Files
import Records

extension PackageWriter {
  /// The chunks whose data files have no digest yet.
  var undigested: [Int] {
    journal.chunks.indices.filter { !journal.chunks[$0].isDigested }
  }

  /// Works out the digests that are still missing, all together.
  ///
  /// A file must have the size it was written with, for what is digested now is what the disk gives
  /// back.
  func digestTogether() throws(PackageError) {
    let indices = undigested
    guard !indices.isEmpty else { return }
    let root = partial
    let paths = indices.compactMap { index in
      journal.chunks[index].data.map { "\(root)/\($0.path)" }
    }
    let way = digests
    let accounts = try files { () throws(FileError) in
      try FileDigests.sha256(of: paths, way: way)
    }
    for (index, account) in zip(indices, accounts) {
      guard let written = journal.chunks[index].data?.size, account.size == written else {
        throw .damaged(
          path: "\(root)/\(journal.chunks[index].data?.path ?? "data")",
          reason: "it has \(account.size) bytes and was written with another size"
        )
      }
      journal.chunks[index].data?.sha256 = Digest(checked: account.digest)
      journal.chunks[index].isDigested = true
    }
  }
}
