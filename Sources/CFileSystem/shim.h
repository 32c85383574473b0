#pragma once
#if defined(__linux__)
#include <stdio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

// Declared for GNU sources only.
int syncfs(int descriptor);
#endif

/// Waits until the disk has all that was written to the file system of an open file.
///
/// Gives 0 where that is done. Anything else says that each file has to be waited for by itself: the system
/// or the file system does not promise as much as it does for a single file, or something went wrong.
///
/// Linux reports what could not be written from 5.8 on, https://man7.org/linux/man-pages/man2/sync.2.html. A
/// file system of a server or of a program may not pass the wait on.
static inline int ferry_sync_file_system(int descriptor) {
#if defined(__linux__)
  struct utsname system;
  struct statfs volume;
  int major = 0, minor = 0;
  if (uname(&system) != 0 || sscanf(system.release, "%d.%d", &major, &minor) != 2) return -1;
  if (major < 5 || (major == 5 && minor < 8)) return -1;
  if (fstatfs(descriptor, &volume) != 0) return -1;
  switch ((unsigned long)volume.f_type & 0xFFFFFFFFul) {
    case 0xEF53:      // ext4
    case 0x58465342:  // XFS
    case 0x9123683E:  // Btrfs
    case 0xF2F52010:  // F2FS
    case 0x01021994:  // memory
      return syncfs(descriptor);
    default: return -1;
  }
#else
  return -1;
#endif
}
