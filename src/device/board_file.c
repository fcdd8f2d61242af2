// board_file.c - The files through which processes see each other.
#include "device/board_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"

enum {
  OTHERS_WRITE = S_IWGRP | S_IWOTH,
  MAX_PATH = 4096,
  MAX_NAME = 64,
  MAX_PROC = 4096,
  STALE_SECONDS = 10,  // Nobody takes longer to lock what he has made.
};

static const char MAGIC[8] = {'B', 'e', 'r', 't', 'h', 'b', 'd', '\n'};

// The file of this process; |own_name| is "" when there is none. Set by
// berth_board_file_open(), whose caller serialises.
static char own_name[MAX_NAME] = "";
static char own_folder[MAX_PATH] = "";
static int own_file = -1;  // Stays open: closing it would drop the lock.

// ---- The folder ----

// Stores the folder's path, which is made if it is the usual one; false when
// there is none to be used.
static bool find_folder(char *path) {
  const char *wanted = berth_env_get("BERTH_SHARED_DIR");
  if (wanted != NULL && wanted[0] != '\0') {
    if (strcmp(wanted, "none") == 0 || strlen(wanted) >= MAX_PATH) return false;
    snprintf(path, MAX_PATH, "%s", wanted);
  } else {
    snprintf(path, MAX_PATH, "/dev/shm/berth-%u", (unsigned)geteuid());
  }
  if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
  return true;
}

// Opens the folder at |path|, unless others have a hand in it; -1 then.
static int open_folder(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  struct stat stat;
  if (folder >= 0 && fstat(folder, &stat) == 0 && stat.st_uid == geteuid() &&
      (stat.st_mode & OTHERS_WRITE) == 0) {
    return folder;
  }
  if (folder >= 0) close(folder);
  return -1;
}

int berth_board_folder(void) {
  char path[MAX_PATH];
  return find_folder(path) ? open_folder(path) : -1;
}

// ---- What this process is called ----

// Reads the start of |path| into |text|; returns how many bytes.
static size_t read_start(const char *path, char *text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t got = read(file, text, size - 1);
  close(file);
  text[got > 0 ? got : 0] = '\0';
  return got > 0 ? (size_t)got : 0;
}

// Returns when this process started, in the kernel's ticks.
static unsigned long long start_ticks(void) {
  char text[MAX_PROC];
  if (read_start("/proc/self/stat", text, sizeof(text)) == 0) return 0;
  // Behind the name, which may have blanks and brackets, come 19 more words.
  const char *at = strrchr(text, ')');
  for (int i = 0; at != NULL && i < 20; ++i) at = strchr(at + 1, ' ');
  return at != NULL ? strtoull(at + 1, NULL, 10) : 0;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static bool is_script(const char *word) {
  size_t size = strlen(word);
  return size > 3 && strcmp(word + size - 3, ".py") == 0;
}

void berth_board_program(char program[BERTH_BOARD_PROGRAM]) {
  char line[MAX_PROC];
  size_t size = read_start("/proc/self/cmdline", line, sizeof(line));
  const char *found = size > 0 ? line : "?";
  for (size_t at = 0; at < size; at += strlen(line + at) + 1) {
    if (!is_script(line + at)) continue;
    found = line + at;
    break;
  }
  snprintf(program, BERTH_BOARD_PROGRAM, "%.*s", BERTH_BOARD_PROGRAM - 1,
           base_name(found));
}

// ---- The own file ----

static bool lock_file(int file) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  return fcntl(file, F_SETLK, &lock) == 0;
}

static berth_board_page_t *map_file(int file) {
  void *page = mmap(NULL, sizeof(berth_board_page_t), PROT_READ | PROT_WRITE,
                    MAP_SHARED, file, 0);
  return page != MAP_FAILED ? page : NULL;
}

void berth_board_file_unmap(berth_board_page_t *page) {
  (void)munmap(page, sizeof(*page));
}

// Makes, locks and fills the file under a name that nobody looks at; -1 when
// that cannot be done.
static int make_file(int folder, const char *name,
                     berth_board_page_t **out_page) {
  (void)unlinkat(folder, name, 0);
  int file = openat(folder, name,
                    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return -1;
  berth_board_page_t *page = NULL;
  if (lock_file(file) && posix_fallocate(file, 0, (off_t)sizeof(*page)) == 0) {
    page = map_file(file);
  }
  if (page == NULL) {
    (void)unlinkat(folder, name, 0);
    close(file);
    return -1;
  }
  memcpy(page->magic, MAGIC, sizeof(MAGIC));
  page->version = BERTH_BOARD_VERSION;
  page->size = sizeof(*page);
  page->pid = getpid();
  berth_board_program(page->program);
  *out_page = page;
  return file;
}

berth_board_page_t *berth_board_file_open(void) {
  berth_board_page_t *page = NULL;
  if (!find_folder(own_folder)) return NULL;
  int folder = open_folder(own_folder);
  if (folder < 0) return NULL;
  char hidden[MAX_NAME + 8];
  snprintf(own_name, sizeof(own_name), "%lld-%llu", (long long)getpid(),
           start_ticks());
  snprintf(hidden, sizeof(hidden), ".%s", own_name);
  own_file = make_file(folder, hidden, &page);
  // Renamed under its lock: whoever sees the name sees a living process.
  if (own_file >= 0 && renameat(folder, hidden, folder, own_name) != 0) {
    (void)unlinkat(folder, hidden, 0);
    berth_board_file_unmap(page);
    close(own_file);
    own_file = -1;
    page = NULL;
  }
  if (page == NULL) own_name[0] = '\0';
  close(folder);
  return page;
}

void berth_board_file_close(void) {
  char path[MAX_PATH + MAX_NAME + 2];
  if (own_name[0] == '\0') return;
  snprintf(path, sizeof(path), "%s/%s", own_folder, own_name);
  (void)unlink(path);
  own_name[0] = '\0';
  if (own_file >= 0) close(own_file);
  own_file = -1;
}

void berth_board_file_forget(void) {
  own_name[0] = '\0';
  if (own_file >= 0) close(own_file);
  own_file = -1;
}

// ---- Those of others ----

static bool is_locked(int file) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Removes a file that nobody holds. One whose name is hidden may be in the
// making still.
static void remove_stale(int folder, const char *name, int file) {
  struct stat stat;
  if (name[0] == '.' &&
      (fstat(file, &stat) != 0 || time(NULL) - stat.st_mtime < STALE_SECONDS)) {
    return;
  }
  (void)unlinkat(folder, name, 0);
}

// Returns the page of a file of ours, or NULL.
static berth_board_page_t *map_checked(int file) {
  struct stat stat;
  if (fstat(file, &stat) != 0 || !S_ISREG(stat.st_mode) ||
      stat.st_uid != geteuid() ||
      stat.st_size < (off_t)sizeof(berth_board_page_t)) {
    return NULL;
  }
  berth_board_page_t *page = map_file(file);
  if (page != NULL &&
      (memcmp(page->magic, MAGIC, sizeof(MAGIC)) != 0 ||
       page->version != BERTH_BOARD_VERSION || page->size != sizeof(*page))) {
    berth_board_file_unmap(page);
    page = NULL;
  }
  return page;
}

// True when |name| is one that a process gives its file, hidden or not.
static bool is_board_name(const char *name) {
  if (name[0] == '.') ++name;
  size_t digits = strspn(name, "0123456789");
  return digits > 0 && name[digits] == '-' &&
         strspn(name + digits + 1, "0123456789") == strlen(name + digits + 1);
}

// Visits one file; false: enough.
static bool visit_file(int folder, const char *name, berth_board_visit_fn visit,
                       void *arg) {
  bool goes_on = true, keep = false;
  int file = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return true;
  berth_board_page_t *page = NULL;
  if (!is_locked(file)) {
    remove_stale(folder, name, file);
  } else if (name[0] != '.') {
    page = map_checked(file);
  }
  close(file);
  if (page == NULL) return true;
  goes_on = visit(arg, page, &keep);
  if (!keep) berth_board_file_unmap(page);
  return goes_on;
}

void berth_board_file_visit(berth_board_visit_fn visit, void *arg) {
  char path[MAX_PATH];
  if (!find_folder(path)) return;
  int folder = open_folder(path);
  DIR *list = folder >= 0 ? fdopendir(folder) : NULL;
  if (list == NULL) {
    if (folder >= 0) close(folder);
    return;
  }
  bool goes_on = true;
  for (const struct dirent *entry = readdir(list); goes_on && entry != NULL;
       entry = readdir(list)) {
    const char *name = entry->d_name;
    // Opening the own file would drop its lock when it is closed again.
    if (!is_board_name(name) ||
        strcmp(name + (name[0] == '.'), own_name) == 0) {
      continue;
    }
    goes_on = visit_file(dirfd(list), name, visit, arg);
  }
  closedir(list);
}
