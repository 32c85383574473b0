import Files
package import Simulation

/// What a range of histories over the real checkpoint came to.
extension Tally {
  /// Lives histories over the real checkpoint through: those of every `stride`th seed.
  ///
  /// The checkpoints lie below `folder`; a disk that `lies` only says that it synced.
  package mutating func live(
    from first: UInt64,
    through last: UInt64,
    stride: UInt64,
    in folder: String,
    lies: Bool = false
  ) throws(LedgerFault) {
    var seed = first
    while seed <= last {
      let place = "\(folder)/\(seed)"
      do throws(FileError) { try Folder.make(place) } catch { throw .file(error.description) }
      do throws(LedgerFault) {
        // The runs of every other history are as large as those that leave something to the next.
        let bulk: Int64? = seed / 2 % 2 == 0 ? 1 : nil
        let ledger = try SQLiteLedger(folder: place, lies: lies, bulk: bulk)
        let folder = ledger.folder
        defer { SQLiteLedger.forget(below: folder) }
        try count(History(seed: seed, disk: ledger))
      } catch {
        historyCount += 1
        broken.append((seed, ["\(error)"]))
      }
      do throws(FileError) { try Folder.remove(place) } catch { throw .file(error.description) }
      seed += stride
    }
  }
}
