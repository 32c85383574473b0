/// The version of the program, as `--version` prints it.
package enum FerryVersion {
  package static let text = "0.1.0"
}
