/// The commit the program was built from, or an empty text for a build that nobody marked.
///
/// The manifest takes it from the environment, FERRY_COMMIT; only this file depends on it.
const char *ferry_commit(void);
