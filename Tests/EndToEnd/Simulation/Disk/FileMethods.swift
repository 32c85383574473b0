import CSQLite

/// What SQLite does with one file: handed on, and written down where a volume watches.
enum FileMethods {
  typealias System = ForgettingSystem

  nonisolated(unsafe) static let table: UnsafeMutablePointer<sqlite3_io_methods> = {
    let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    table.pointee = sqlite3_io_methods()
    // The second version: shared memory for the log, and no mapping of the file itself.
    table.pointee.iVersion = 2
    setReading(table)
    setWriting(table)
    setLocking(table)
    setSharing(table)
    return table
  }()

  private static func setReading(_ table: UnsafeMutablePointer<sqlite3_io_methods>) {
    table.pointee.xRead = { file, bytes, count, offset in
      System.methods(file)?.pointee.xRead(System.real(file), bytes, count, offset) ?? SQLITE_ERROR
    }
    table.pointee.xFileSize = { file, size in
      System.methods(file)?.pointee.xFileSize(System.real(file), size) ?? SQLITE_ERROR
    }
    table.pointee.xSectorSize = { file in
      System.methods(file)?.pointee.xSectorSize(System.real(file)) ?? 0
    }
    // Nothing is promised of how writes arrive.
    table.pointee.xDeviceCharacteristics = { _ in 0 }
    table.pointee.xFileControl = { file, operation, argument in
      // A file that grows by chunks, or is written in one go, would pass the notes by.
      System.methods(file)?.pointee.xFileControl(System.real(file), operation, argument)
        ?? SQLITE_NOTFOUND
    }
    table.pointee.xClose = { file in
      let result = System.methods(file)?.pointee.xClose(System.real(file)) ?? SQLITE_OK
      System.head(file)?.pointee.volume?.release()
      System.head(file)?.pointee.volume = nil
      return result
    }
  }

  private static func setWriting(_ table: UnsafeMutablePointer<sqlite3_io_methods>) {
    table.pointee.xWrite = { file, bytes, count, offset in
      let result =
        System.methods(file)?.pointee.xWrite(System.real(file), bytes, count, offset)
        ?? SQLITE_ERROR
      guard result == SQLITE_OK, let head = System.head(file)?.pointee, let bytes else {
        return result
      }
      head.volume?.takeUnretainedValue().note(
        .wrote(
          file: head.number,
          offset: Int(offset),
          bytes: Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        )
      )
      return result
    }
    table.pointee.xTruncate = { file, size in
      let result =
        System.methods(file)?.pointee.xTruncate(System.real(file), size) ?? SQLITE_ERROR
      guard result == SQLITE_OK, let head = System.head(file)?.pointee else { return result }
      head.volume?.takeUnretainedValue().note(.cut(file: head.number, size: Int(size)))
      return result
    }
    table.pointee.xSync = { file, flags in
      guard let head = System.head(file)?.pointee, let volume = head.volume else {
        return System.methods(file)?.pointee.xSync(System.real(file), flags) ?? SQLITE_ERROR
      }
      // What is kept is what the notes say, so the real disk need not be waited for.
      volume.takeUnretainedValue().note(.synced(file: head.number))
      return SQLITE_OK
    }
  }

  private static func setLocking(_ table: UnsafeMutablePointer<sqlite3_io_methods>) {
    table.pointee.xLock = { file, level in
      System.methods(file)?.pointee.xLock(System.real(file), level) ?? SQLITE_ERROR
    }
    table.pointee.xUnlock = { file, level in
      System.methods(file)?.pointee.xUnlock(System.real(file), level) ?? SQLITE_ERROR
    }
    table.pointee.xCheckReservedLock = { file, answer in
      System.methods(file)?.pointee.xCheckReservedLock(System.real(file), answer) ?? SQLITE_ERROR
    }
  }

  private static func setSharing(_ table: UnsafeMutablePointer<sqlite3_io_methods>) {
    table.pointee.xShmMap = { file, page, size, extend, memory in
      System.methods(file)?.pointee.xShmMap(System.real(file), page, size, extend, memory)
        ?? SQLITE_ERROR
    }
    table.pointee.xShmLock = { file, offset, count, flags in
      System.methods(file)?.pointee.xShmLock(System.real(file), offset, count, flags)
        ?? SQLITE_ERROR
    }
    table.pointee.xShmBarrier = { file in
      System.methods(file)?.pointee.xShmBarrier(System.real(file))
    }
    table.pointee.xShmUnmap = { file, remove in
      System.methods(file)?.pointee.xShmUnmap(System.real(file), remove) ?? SQLITE_OK
    }
  }
}
