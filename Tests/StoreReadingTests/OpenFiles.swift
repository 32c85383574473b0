import Files

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How many files below a folder this process has open, each as often as it is.
func openFileCount(below folder: String) throws -> Int {
  let wanted = try fileNumbers(below: folder)
  return (0..<getdtablesize()).count { number in
    var status = stat()
    return fstat(number, &status) == 0 && wanted.contains(UInt64(status.st_ino))
  }
}

/// The numbers that the file system has for the files below a folder.
private func fileNumbers(below folder: String) throws -> Set<UInt64> {
  var numbers: Set<UInt64> = []
  for name in try Folder.names(in: folder) {
    let path = "\(folder)/\(name)"
    if Folder.exists(path) {
      numbers.formUnion(try fileNumbers(below: path))
      continue
    }
    var status = stat()
    if stat(path, &status) == 0 { numbers.insert(UInt64(status.st_ino)) }
  }
  return numbers
}
