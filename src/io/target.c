// target.c - Where a path that is to be written leads.
#include "io/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// As many as the system itself follows.
enum { MOST_LINKS = 40 };

// Returns where the name begins in |path|, after its folder.
static const char *name_in(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

// Writes the folder of |path|, its own links followed, to |folder|; false when
// there is no such folder.
static bool find_folder(const char *path, char folder[PATH_MAX]) {
  char begin[PATH_MAX];
  size_t size = (size_t)(name_in(path) - path);
  memcpy(begin, path, size);
  begin[size] = '\0';
  return realpath(size > 0 ? begin : ".", folder) != NULL;
}

// Returns the descriptor that |path| names in the folder of this process's own,
// or -1. Opening that name instead would begin at the start of a file that
// others write to as well.
static int own_descriptor(const char *path) {
  char folder[PATH_MAX], own[PATH_MAX];
  const char *name = name_in(path);
  size_t digits = strspn(name, "0123456789");
  if (digits == 0 || digits > 9 || name[digits] != '\0') return -1;
  if (!find_folder(path, folder) || realpath("/proc/self/fd", own) == NULL ||
      strcmp(folder, own) != 0) {
    return -1;
  }
  return (int)strtol(name, NULL, 10);
}

// Replaces |path|, a link, by what |link| says: from its folder on, unless that
// is a whole path.
static int follow(char path[PATH_MAX], const char *link) {
  size_t begin = link[0] == '/' ? 0 : (size_t)(name_in(path) - path);
  size_t size = strlen(link);
  if (begin + size >= PATH_MAX) return ENAMETOOLONG;
  memcpy(path + begin, link, size + 1);
  return 0;
}

// Follows the links of |target|'s path up to a descriptor or to no link.
static int follow_all(berth_target_t *target) {
  for (int links = 0;; ++links) {
    char link[PATH_MAX];
    target->descriptor = own_descriptor(target->path);
    if (target->descriptor >= 0) return 0;
    ssize_t size = readlink(target->path, link, sizeof(link) - 1);
    if (size < 0) return errno == EINVAL || errno == ENOENT ? 0 : errno;
    if (links == MOST_LINKS) return ELOOP;
    link[size] = '\0';
    int failed = follow(target->path, link);
    if (failed != 0) return failed;
  }
}

int berth_target_find(const char *path, berth_target_t *out_target) {
  if (strlen(path) >= sizeof(out_target->path)) return ENAMETOOLONG;
  memcpy(out_target->path, path, strlen(path) + 1);
  int failed = follow_all(out_target);
  if (failed != 0) return failed;
  out_target->exists = stat(path, &out_target->info) == 0;
  if (!out_target->exists) {
    return errno == ENOENT && path[0] != '\0' ? 0 : errno;
  }
  // Links in /proc lead where their text does not say.
  struct stat end;
  if (stat(out_target->path, &end) != 0 ||
      end.st_dev != out_target->info.st_dev ||
      end.st_ino != out_target->info.st_ino) {
    memcpy(out_target->path, path, strlen(path) + 1);
  }
  return 0;
}
