#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes a symbolic link.
func makeLink(to target: String, at path: String) -> Bool { symlink(target, path) == 0 }

/// Makes a named pipe; `false` when the system refused.
func makePipe(at path: String) -> Bool { mkfifo(path, 0o600) == 0 }

/// Gives a file another size; `false` when the system refused.
func grow(_ path: String, to size: Int) -> Bool { truncate(path, off_t(size)) == 0 }

/// The value of an environment variable, or `nil`.
func environmentValue(_ name: String) -> String? {
  getenv(name).flatMap { String(validatingCString: $0) }
}
