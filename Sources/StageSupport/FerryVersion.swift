import CBuildMark

/// The version of the program, as `--version` prints it.
package enum FerryVersion {
  package static let text = FERRY_VERSION
}
