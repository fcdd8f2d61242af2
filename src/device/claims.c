// claims.c - Which cards the processes of this user have chosen.
#include "device/claims.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/board_file.h"

enum { MOST_CLAIMS = 4096, WAIT_MS = 5000 };

// Locks lie behind all lines: one for choosing, then one for each line.
static const off_t LOCKS = (off_t)1 << 40;

// Stays open: closing it would drop the locks of this process.
static int claims_file = -1;

static bool lock_set(short type, int line) {
  struct flock lock = {.l_type = type,
                       .l_whence = SEEK_SET,
                       .l_start = LOCKS + 1 + line,
                       .l_len = 1};
  return fcntl(claims_file, F_SETLK, &lock) == 0;
}

// Returns who holds the lock of |line|; 0: nobody, or this process.
static int64_t holder_of(int line) {
  struct flock lock = {.l_type = F_WRLCK,
                       .l_whence = SEEK_SET,
                       .l_start = LOCKS + 1 + line,
                       .l_len = 1};
  bool is_held =
      fcntl(claims_file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  return is_held ? lock.l_pid : 0;
}

static int open_claims(void) {
  int folder = berth_board_folder();
  if (folder < 0) return -1;
  int file =
      openat(folder, "claims", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  close(folder);
  return file;
}

bool berth_claims_begin(void) {
  if (claims_file < 0) claims_file = open_claims();
  if (claims_file < 0) return false;
  for (int i = 0; i < WAIT_MS; ++i) {
    if (lock_set(F_WRLCK, -1)) return true;
    berth_sleep_ns(1000000);
  }
  return false;
}

void berth_claims_end(void) { (void)lock_set(F_UNLCK, -1); }

static bool line_read(int line, berth_claim_t *claim) {
  off_t at = (off_t)line * (off_t)sizeof(*claim);
  ssize_t got = pread(claims_file, claim, sizeof(*claim), at);
  claim->key[sizeof(claim->key) - 1] = '\0';
  return got == (ssize_t)sizeof(*claim);
}

int berth_claims_list(berth_claim_t *claims, int room) {
  int count = 0;
  berth_claim_t claim;
  for (int line = 0; line < MOST_CLAIMS && line_read(line, &claim); ++line) {
    int64_t holder = holder_of(line);
    if (holder == 0) continue;
    claim.pid = holder;
    if (count < room) claims[count] = claim;
    ++count;
  }
  return count < room ? count : room;
}

void berth_claims_add(const char *key) {
  berth_claim_t claim = {.pid = getpid()}, old;
  snprintf(claim.key, sizeof(claim.key), "%s", key);
  for (int line = 0; line < MOST_CLAIMS; ++line) {
    bool is_own = line_read(line, &old) && old.pid == claim.pid;
    // A line of this process is locked already, and looks free to it.
    if (is_own || holder_of(line) != 0 || !lock_set(F_WRLCK, line)) continue;
    off_t at = (off_t)line * (off_t)sizeof(claim);
    if (pwrite(claims_file, &claim, sizeof(claim), at) !=
        (ssize_t)sizeof(claim)) {
      (void)lock_set(F_UNLCK, line);
    }
    return;
  }
}
