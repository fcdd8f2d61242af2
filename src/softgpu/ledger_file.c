// ledger_file.c - Finding and opening the file of a ledger, and no other.
#include "softgpu/ledger_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/hash.h"

enum { OTHERS_WRITE = S_IWGRP | S_IWOTH, MAX_PATH = 4096 };

// ---- The path ----

static unsigned long long key_of(const berth_soft_cards_t *cards) {
  uint64_t key = 0;
  for (int i = 0; i < cards->count; ++i) {
    const berth_soft_card_t *card = &cards->items[i];
    key = berth_hash(card->uuid, sizeof(card->uuid), key);
    key = berth_hash(&card->memory_bytes, sizeof(card->memory_bytes), key);
  }
  return key;
}

bool berth_soft_ledger_path(const berth_soft_cards_t *cards, char *path,
                            size_t size) {
  const char *wanted = berth_env_get("BERTH_SIMULATE_LEDGER");
  const char *folder = berth_env_get("XDG_RUNTIME_DIR");
  int length = 0;
  if (wanted != NULL && wanted[0] != '\0') {
    length = snprintf(path, size, "%s", wanted);
  } else if (folder != NULL && folder[0] == '/') {
    length =
        snprintf(path, size, "%s/berth-softgpu-%016llx", folder, key_of(cards));
  } else {
    snprintf(path, size, "/tmp/berth-%u", (unsigned)geteuid());
    (void)mkdir(path, 0700);
    length = snprintf(path, size, "/tmp/berth-%u/softgpu-%016llx",
                      (unsigned)geteuid(), key_of(cards));
  }
  return length > 0 && (size_t)length < size;
}

// ---- Its folder ----

// Says in |why| what speaks against the folder |stat| is of; false if nothing.
static bool is_bad_folder(const char *folder, const struct stat *stat,
                          char *why, size_t size) {
  if (stat->st_uid != geteuid() && stat->st_uid != 0) {
    snprintf(why, size, "the folder %s belongs to user %u", folder,
             (unsigned)stat->st_uid);
    return true;
  }
  if ((stat->st_mode & OTHERS_WRITE) != 0 && (stat->st_mode & S_ISVTX) == 0) {
    snprintf(why, size, "others may replace files in the folder %s (mode %04o)",
             folder, (unsigned)(stat->st_mode & 07777));
    return true;
  }
  return false;
}

// Opens the folder of |path|; -1 when it will not do.
static int open_folder(const char *path, char *why, size_t size) {
  char folder[MAX_PATH];
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - path);
  if (length >= sizeof(folder)) {
    snprintf(why, size, "the path is too long");
    return -1;
  }
  snprintf(folder, sizeof(folder), "%.*s", (int)length, path);
  if (length == 0) snprintf(folder, sizeof(folder), slash == NULL ? "." : "/");
  struct stat stat;
  int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0 || fstat(file, &stat) != 0) {
    snprintf(why, size, "the folder %s: %s", folder, strerror(errno));
  } else if (!is_bad_folder(folder, &stat, why, size)) {
    return file;
  }
  if (file >= 0) close(file);
  return -1;
}

// ---- The file ----

static bool is_bad_file(const struct stat *stat, char *why, size_t size) {
  if (!S_ISREG(stat->st_mode)) {
    snprintf(why, size, "it is not a regular file");
  } else if (stat->st_uid != geteuid()) {
    snprintf(why, size, "it belongs to user %u", (unsigned)stat->st_uid);
  } else if ((stat->st_mode & OTHERS_WRITE) != 0) {
    snprintf(why, size, "others may write it (mode %04o)",
             (unsigned)(stat->st_mode & 07777));
  } else {
    return false;
  }
  return true;
}

int berth_soft_ledger_file_open(const char *path, char *why, size_t size) {
  const char *slash = strrchr(path, '/');
  int folder = open_folder(path, why, size);
  if (folder < 0) return -1;
  // It may be a pipe, or a terminal: neither is waited for.
  int file = openat(
      folder, slash != NULL ? slash + 1 : path,
      O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
  int error = errno;
  close(folder);
  struct stat stat;
  if (file >= 0 && fstat(file, &stat) == 0) {
    if (!is_bad_file(&stat, why, size)) return file;
  } else {
    snprintf(why, size, "%s",
             error == ELOOP ? "it is a symbolic link" : strerror(error));
  }
  if (file >= 0) close(file);
  return -1;
}
