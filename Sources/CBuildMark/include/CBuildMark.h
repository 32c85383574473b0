/// The version of the programs.
#define FERRY_VERSION "0.1.0"

/// The version, and the commit where the build was marked with one: `0.1.0 (1a2b3c4d5e6f)`.
///
/// The manifest takes the commit from the environment, FERRY_COMMIT; only this file depends on it.
const char *ferry_build_mark(void);
