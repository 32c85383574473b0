// A way to the disk for SQLite that leads to one database alone.
//
// <https://www.sqlite.org/vfs.html>
#include "private_files.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

struct ferry_private_files {
  sqlite3_vfs way;
  // The usual way, which does the work.
  sqlite3_vfs *below;
  char name[48];
  // The path of the database, once it was opened.
  char *database;
};

static int is_own(const ferry_private_files *files, const char *path) {
  static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
  if (path == NULL || files->database == NULL) return 0;
  size_t count = strlen(files->database);
  if (strncmp(path, files->database, count) != 0) return 0;
  for (size_t index = 0; index < sizeof ends / sizeof *ends; index += 1) {
    if (strcmp(path + count, ends[index]) == 0) return 1;
  }
  return 0;
}

static int private_open(
    sqlite3_vfs *way, const char *path, sqlite3_file *file, int flags, int *given) {
  ferry_private_files *files = (ferry_private_files *)way;
  file->pMethods = NULL;
  if (files->database == NULL && (flags & SQLITE_OPEN_MAIN_DB) != 0 && path != NULL) {
    files->database = sqlite3_mprintf("%s", path);
    if (files->database == NULL) return SQLITE_NOMEM;
  }
  if (path != NULL && !is_own(files, path)) return SQLITE_PERM;
  return files->below->xOpen(files->below, path, file, flags, given);
}

static int private_delete(sqlite3_vfs *way, const char *path, int is_synced) {
  ferry_private_files *files = (ferry_private_files *)way;
  if (!is_own(files, path)) return SQLITE_PERM;
  return files->below->xDelete(files->below, path, is_synced);
}

static int private_access(sqlite3_vfs *way, const char *path, int flags, int *answer) {
  ferry_private_files *files = (ferry_private_files *)way;
  if (!is_own(files, path)) return SQLITE_PERM;
  return files->below->xAccess(files->below, path, flags, answer);
}

ferry_private_files *ferry_private_files_make(void) {
  sqlite3_vfs *below = sqlite3_vfs_find(NULL);
  if (below == NULL) return NULL;
  ferry_private_files *files = sqlite3_malloc(sizeof *files);
  if (files == NULL) return NULL;
  memset(files, 0, sizeof *files);
  files->below = below;
  // As long as it lives nothing else has its address.
  snprintf(files->name, sizeof files->name, "ferry-private-%p", (void *)files);
  files->way = *below;
  files->way.zName = files->name;
  files->way.pNext = NULL;
  files->way.xOpen = private_open;
  files->way.xDelete = private_delete;
  files->way.xAccess = private_access;
  if (sqlite3_vfs_register(&files->way, 0) != SQLITE_OK) {
    sqlite3_free(files);
    return NULL;
  }
  return files;
}

const char *ferry_private_files_name(const ferry_private_files *files) { return files->name; }

void ferry_private_files_end(ferry_private_files *files) {
  sqlite3_vfs_unregister(&files->way);
  sqlite3_free(files->database);
  sqlite3_free(files);
}
