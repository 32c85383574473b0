/// Why the development backend could not start.
package enum DevelopmentBackendError: Error, Hashable, CustomStringConvertible {
  /// The database could not be opened or prepared.
  case database(path: String?, reason: String)
  /// The folder for media could not be made.
  case mediaFolder(path: String, reason: String)
  /// The file with the port could not be written.
  case portFile(path: String, reason: String)
  /// The address could not be listened on.
  case listening(host: String, port: Int, reason: String)
  /// A limit on the command line could not be understood.
  case limit(text: String, names: [String])

  package var description: String {
    switch self {
    case .database(let path, let reason):
      "cannot open the database \(path ?? "in memory"): \(reason)"
    case .mediaFolder(let path, let reason):
      "cannot make the media folder \(path): \(reason)"
    case .portFile(let path, let reason):
      "cannot write the port to \(path): \(reason)"
    case .listening(let host, let port, let reason):
      "cannot listen on \(host):\(port): \(reason)"
    case .limit(let text, let names):
      "limit \"\(text)\": write a name and a number, as in reads=100; the names are "
        + names.joined(separator: ", ")
    }
  }
}
