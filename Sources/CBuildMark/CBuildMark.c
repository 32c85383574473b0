#include "CBuildMark.h"

#ifndef FERRY_COMMIT
#define FERRY_COMMIT ""
#endif

const char *ferry_build_mark(void) {
  return sizeof FERRY_COMMIT > 1 ? FERRY_VERSION " (" FERRY_COMMIT ")" : FERRY_VERSION;
}
