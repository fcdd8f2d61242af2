// folder.c - Folders that files are written into.
#include "io/folder.h"

#include <errno.h>
#include <sys/stat.h>

int berth_folders_make(char *path) {
  if (path[0] == '\0') return 0;
  for (char *at = path + 1; *at != '\0'; ++at) {
    if (*at != '/') continue;
    *at = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return errno;
    *at = '/';
  }
  return 0;
}
