#ifndef FERRY_PRIVATE_FILES_H
#define FERRY_PRIVATE_FILES_H

/// A way to the disk for SQLite that knows one database and its own journal and log, and no other
/// file.
typedef struct ferry_private_files ferry_private_files;

/// Makes that way known; `NULL` where there is no memory for it.
///
/// The database is the first that is opened through it. Opening, deleting or looking for any other
/// path by name ends in `SQLITE_PERM`; files without a name are temporary ones, and are opened.
/// A journal can name a file that SQLite reads and deletes when it rolls back, and no one who reads another
/// user's database may follow that.
/// <https://www.sqlite.org/tempfiles.html#super_journal_files>
ferry_private_files *_Nullable ferry_private_files_make(void);

/// The name under which SQLite opens the database.
const char *_Nonnull ferry_private_files_name(const ferry_private_files *_Nonnull files);

/// Makes the way unknown again, once its database is closed.
void ferry_private_files_end(ferry_private_files *_Nonnull files);

#endif
