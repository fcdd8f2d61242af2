// ledger.c - Who holds how much of which card, shared between processes.
//
// What this process holds is kept here as well as in its slot of the file, and
// written there anew with every change: whatever happens to the file, the
// process knows its own figures. The file is read and written, never mapped, so
// that it may be truncated at any time. One that turns out to be no ledger, any
// more, is let go of: from then on the process counts alone.
#include "softgpu/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "softgpu/ledger_file.h"

enum { SLOTS = 256, WHOLE = 0, FIRST_SLOT = 1, NO_SLOT = -1, MAX_WHY = 512 };

static const uint64_t MAGIC = 0x31726764656c6762;  // "bgledgr1".

// How long the whole file may be locked by another process, which may have been
// stopped, before this one does without.
static const int64_t LONGEST_LOCK_NS = 10 * INT64_C(1000000000);
static const int64_t NAP_NS = 100000;

typedef struct slot {
  int64_t pid;
  uint64_t bytes[BERTH_SOFT_MAX_CARDS];
} slot_t;

typedef struct page {
  uint64_t magic;
  slot_t slots[SLOTS];
} page_t;

struct berth_soft_ledger {
  const berth_soft_cards_t *cards;  // Borrowed; outlives this.
  berth_mutex_t lock;               // Guards everything below; no stream takes
                                    // it.
  int file;                         // -1: nothing is shared.
  dev_t device;                     // Which file that is: a program may close
  ino_t number;                     // descriptors that it does not know.
  int slot;                         // NO_SLOT until something is taken.
  slot_t own;                       // What this process holds.
  page_t page;                      // As last read.
  char path[1024];
};

// ---- Counting alone ----

// Lets go of the file, if there is one, and says why.
static void count_alone(berth_soft_ledger_t *ledger, bool is_open,
                        const char *why) {
  // One that is not ours is not ours to close.
  if (is_open) close(ledger->file);
  ledger->file = -1;
  memset(&ledger->page, 0, sizeof(ledger->page));
  berth_log(BERTH_LOG_WARNING, "softgpu/ledger.c", __LINE__,
            "%s cannot say what other processes hold of the simulated GPUs: "
            "%s. This process counts alone. Set BERTH_SIMULATE_LEDGER to a "
            "path for a file of its own, or remove this one",
            ledger->path, why);
}

// ---- The file ----

static bool read_all(int file, void *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t count = pread(file, (char *)bytes + at, size - at, (off_t)at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += (size_t)count;
  }
  return true;
}

static bool write_all(int file, const void *bytes, size_t size, off_t offset) {
  for (size_t at = 0; at < size;) {
    ssize_t count =
        pwrite(file, (const char *)bytes + at, size - at, offset + (off_t)at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += (size_t)count;
  }
  return true;
}

// Makes an empty file a ledger.
static bool write_new(berth_soft_ledger_t *ledger) {
  memset(&ledger->page, 0, sizeof(ledger->page));
  ledger->page.magic = MAGIC;
  return write_all(ledger->file, &ledger->page, sizeof(ledger->page), 0);
}

// Reads the file, whose lock is held; false, with the reason in |why|, when it
// is no ledger. One that is empty is a new one.
static bool read_page(berth_soft_ledger_t *ledger, char *why, size_t size) {
  struct stat stat;
  if (fstat(ledger->file, &stat) != 0) {
    snprintf(why, size, "%s", strerror(errno));
    return false;
  }
  if (stat.st_size == 0) {
    if (write_new(ledger)) return true;
    snprintf(why, size, "it cannot be written: %s", strerror(errno));
    return false;
  }
  if (stat.st_size != (off_t)sizeof(ledger->page) ||
      !read_all(ledger->file, &ledger->page, sizeof(ledger->page)) ||
      ledger->page.magic != MAGIC) {
    snprintf(why, size, "it is no ledger (%lld bytes)",
             (long long)stat.st_size);
    return false;
  }
  return true;
}

// True when the descriptor is still that of the file.
static bool is_same_file(const berth_soft_ledger_t *ledger) {
  struct stat stat;
  return fstat(ledger->file, &stat) == 0 && stat.st_dev == ledger->device &&
         stat.st_ino == ledger->number;
}

// ---- Locks ----

// Locks |byte| of the file for this process, or gives it back.
static bool lock_byte(const berth_soft_ledger_t *ledger, int type, int byte) {
  struct flock range = {
      .l_type = (short)type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return fcntl(ledger->file, F_SETLK, &range) == 0;
}

// Locks the whole file, waiting for others.
static bool lock_whole(const berth_soft_ledger_t *ledger, char *why,
                       size_t size) {
  int64_t deadline = 0;
  while (!lock_byte(ledger, F_WRLCK, WHOLE)) {
    int64_t now = berth_now_ns();
    bool is_busy = errno == EACCES || errno == EAGAIN;
    if (deadline == 0) deadline = now + LONGEST_LOCK_NS;
    if (!is_busy || now > deadline) {
      snprintf(why, size, "it cannot be locked: %s", strerror(errno));
      return false;
    }
    berth_sleep_ns(NAP_NS);
  }
  return true;
}

// True when another living process owns |slot|.
static bool is_foreign(const berth_soft_ledger_t *ledger, int slot) {
  struct flock range = {.l_type = F_WRLCK,
                        .l_whence = SEEK_SET,
                        .l_start = FIRST_SLOT + slot,
                        .l_len = 1};
  return fcntl(ledger->file, F_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

// Writes what this process holds, unless that is in the file already.
static void publish(berth_soft_ledger_t *ledger) {
  if (ledger->file < 0 || ledger->slot == NO_SLOT ||
      memcmp(&ledger->page.slots[ledger->slot], &ledger->own,
             sizeof(ledger->own)) == 0) {
    return;
  }
  off_t offset =
      (off_t)(offsetof(page_t, slots) + (size_t)ledger->slot * sizeof(slot_t));
  if (!write_all(ledger->file, &ledger->own, sizeof(ledger->own), offset)) {
    count_alone(ledger, true, strerror(errno));
  }
}

static void enter(berth_soft_ledger_t *ledger) {
  char why[MAX_WHY] = "";
  berth_mutex_lock(&ledger->lock);
  if (ledger->file < 0) return;
  if (!is_same_file(ledger)) {
    count_alone(ledger, false, "the program has closed the file");
  } else if (!lock_whole(ledger, why, sizeof(why)) ||
             !read_page(ledger, why, sizeof(why))) {
    count_alone(ledger, true, why);
  }
  publish(ledger);  // Somebody may have emptied it.
}

static void leave(berth_soft_ledger_t *ledger) {
  if (ledger->file >= 0) (void)lock_byte(ledger, F_UNLCK, WHOLE);
  berth_mutex_unlock(&ledger->lock);
}

// ---- Slots; the ledger is entered ----

// Returns the slot |index| when it counts, or NULL.
static const slot_t *live_slot(const berth_soft_ledger_t *ledger, int index) {
  if (index == ledger->slot) return &ledger->own;
  const slot_t *slot = &ledger->page.slots[index];
  if (ledger->file < 0 || slot->pid == 0) return NULL;
  return is_foreign(ledger, index) ? slot : NULL;
}

static uint64_t used(const berth_soft_ledger_t *ledger, int card) {
  uint64_t sum = 0;
  for (int i = 0; i < SLOTS; ++i) {
    const slot_t *slot = live_slot(ledger, i);
    uint64_t bytes = slot != NULL ? slot->bytes[card] : 0;
    sum = bytes <= UINT64_MAX - sum ? sum + bytes : UINT64_MAX;
  }
  return sum;
}

// Finds this process a slot if it has none.
static bool own_slot(berth_soft_ledger_t *ledger) {
  for (int i = 0; ledger->slot == NO_SLOT && i < SLOTS; ++i) {
    if (ledger->file >= 0 && !lock_byte(ledger, F_WRLCK, FIRST_SLOT + i)) {
      continue;
    }
    ledger->own = (slot_t){.pid = getpid()};
    ledger->slot = i;
  }
  return ledger->slot != NO_SLOT;
}

// ---- The rest ----

// Opens the file, if one can be had.
static void share(berth_soft_ledger_t *ledger) {
  char why[MAX_WHY] = "the path is too long";
  struct stat stat;
  bool is_short =
      berth_soft_ledger_path(ledger->cards, ledger->path, sizeof(ledger->path));
  if (is_short) {
    ledger->file = berth_soft_ledger_file_open(ledger->path, why, sizeof(why));
  }
  if (ledger->file >= 0 && fstat(ledger->file, &stat) == 0) {
    ledger->device = stat.st_dev;
    ledger->number = stat.st_ino;
    enter(ledger);  // Which looks at what is in it.
    leave(ledger);
  } else {
    count_alone(ledger, ledger->file >= 0, why);
  }
}

berth_soft_ledger_t *berth_soft_ledger_open(const berth_soft_cards_t *cards) {
  berth_soft_ledger_t *ledger = berth_calloc(1, sizeof(*ledger));
  if (ledger == NULL) return NULL;
  ledger->cards = cards;
  ledger->file = -1;
  ledger->slot = NO_SLOT;
  berth_mutex_init(&ledger->lock);
  share(ledger);
  return ledger;
}

bool berth_soft_ledger_take(berth_soft_ledger_t *ledger, int card,
                            uint64_t bytes) {
  uint64_t total = ledger->cards->items[card].memory_bytes;
  enter(ledger);
  uint64_t held = used(ledger, card);
  bool fits = held <= total && bytes <= total - held && own_slot(ledger);
  if (fits) {
    ledger->own.bytes[card] += bytes;
    publish(ledger);
  }
  leave(ledger);
  return fits;
}

void berth_soft_ledger_give(berth_soft_ledger_t *ledger, int card,
                            uint64_t bytes) {
  if (bytes == 0) return;
  enter(ledger);
  ledger->own.bytes[card] -= bytes;
  publish(ledger);
  leave(ledger);
}

uint64_t berth_soft_ledger_used(berth_soft_ledger_t *ledger, int card) {
  uint64_t total = ledger->cards->items[card].memory_bytes;
  enter(ledger);
  uint64_t sum = used(ledger, card);
  leave(ledger);
  return sum < total ? sum : total;
}

int berth_soft_ledger_holders(berth_soft_ledger_t *ledger, int card,
                              berth_soft_holder_t *holders, int capacity) {
  int count = 0;
  enter(ledger);
  for (int i = 0; i < SLOTS; ++i) {
    const slot_t *slot = live_slot(ledger, i);
    if (slot == NULL || slot->bytes[card] == 0) continue;
    if (count < capacity) {
      holders[count] = (berth_soft_holder_t){slot->pid, slot->bytes[card]};
    }
    ++count;
  }
  leave(ledger);
  return count;
}
