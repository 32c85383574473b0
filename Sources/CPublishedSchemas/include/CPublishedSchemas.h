#pragma once

#include <stddef.h>

/// A file that is built into the program.
struct PublishedFile {
  const char *_Nonnull name;
  /// Its text, which ends with a zero.
  const char *_Nonnull text;
};

/// So many files, one after another. They live as long as the program.
struct PublishedFiles {
  const struct PublishedFile *_Nonnull first;
  size_t count;
};

struct PublishedFiles published_schemas(void);

struct PublishedFiles published_upgrades(void);
