// target.h - Where a path that is to be written leads.
#ifndef BERTH_IO_TARGET_H_
#define BERTH_IO_TARGET_H_

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

// What stands at the end of a path's links.
typedef struct berth_target {
  char path[PATH_MAX];  // No link.
  // A descriptor of this process that the path names, as /dev/stdout does; -1
  // for any other.
  int descriptor;
  bool exists;
  struct stat info;  // Of what exists.
} berth_target_t;

// Follows |path| and stores where it leads in |*out_target|. Links may lead to
// nothing. Returns 0 or an errno: ELOOP, ENAMETOOLONG, EACCES and others.
int berth_target_find(const char *path, berth_target_t *out_target);

#endif  // BERTH_IO_TARGET_H_
