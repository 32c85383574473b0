#include "CBuildMark.h"

#ifndef FERRY_COMMIT
#define FERRY_COMMIT ""
#endif

const char *ferry_commit(void) { return FERRY_COMMIT; }
