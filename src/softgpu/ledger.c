// ledger.c - Who holds how much of which card, shared between processes.
#include "softgpu/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/thread.h"

enum { SLOTS = 256, WHOLE = 0, FIRST_SLOT = 1, NO_SLOT = -1 };

static const uint64_t MAGIC = 0x31726764656c6762;  // "bgledgr1".

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
  int slot;                         // NO_SLOT until something is taken.
  page_t *page;
};

// ---- The file ----

// Makes the folder for ledgers in |path| and appends a name made of |cards|.
static void default_path(const berth_soft_cards_t *cards, char *path,
                         size_t size) {
  uint64_t key = 0;
  for (int i = 0; i < cards->count; ++i) {
    const berth_soft_card_t *card = &cards->items[i];
    key = berth_hash(card->uuid, sizeof(card->uuid), key);
    key = berth_hash(&card->memory_bytes, sizeof(card->memory_bytes), key);
  }
  const char *folder = berth_env_get("XDG_RUNTIME_DIR");
  if (folder != NULL && folder[0] == '/') {
    snprintf(path, size, "%s/berth-softgpu-%016llx", folder,
             (unsigned long long)key);
    return;
  }
  snprintf(path, size, "/tmp/berth-%u", (unsigned)getuid());
  (void)mkdir(path, 0700);
  snprintf(path, size, "/tmp/berth-%u/softgpu-%016llx", (unsigned)getuid(),
           (unsigned long long)key);
}

// Maps |file|, making it large enough first; NULL when it is something else.
static page_t *map_file(int file) {
  struct stat stat;
  bool is_ours = fstat(file, &stat) == 0 && S_ISREG(stat.st_mode) &&
                 stat.st_uid == getuid();
  if (!is_ours) return NULL;
  if (stat.st_size < (off_t)sizeof(page_t) &&
      ftruncate(file, (off_t)sizeof(page_t)) != 0) {
    return NULL;
  }
  void *page =
      mmap(NULL, sizeof(page_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return page != MAP_FAILED ? page : NULL;
}

static void share(berth_soft_ledger_t *ledger) {
  char path[512];
  const char *wanted = berth_env_get("BERTH_SIMULATE_LEDGER");
  if (wanted != NULL && wanted[0] != '\0') {
    snprintf(path, sizeof(path), "%s", wanted);
  } else {
    default_path(ledger->cards, path, sizeof(path));
  }
  ledger->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (ledger->file >= 0) ledger->page = map_file(ledger->file);
  if (ledger->page != NULL) return;
  if (ledger->file >= 0) close(ledger->file);
  ledger->file = -1;
  berth_trace("softgpu", "%s cannot be used; memory is counted alone", path);
}

// ---- Locks ----

// Locks |byte| of the file for this process, or gives it back.
static bool lock_byte(const berth_soft_ledger_t *ledger, int type, int byte,
                      bool wait) {
  struct flock range = {
      .l_type = (short)type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  int result = 0;
  do {
    result = fcntl(ledger->file, wait ? F_SETLKW : F_SETLK, &range);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

// True when another living process owns |slot|.
static bool is_foreign(const berth_soft_ledger_t *ledger, int slot) {
  struct flock range = {.l_type = F_WRLCK,
                        .l_whence = SEEK_SET,
                        .l_start = FIRST_SLOT + slot,
                        .l_len = 1};
  return fcntl(ledger->file, F_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

static void enter(berth_soft_ledger_t *ledger) {
  berth_mutex_lock(&ledger->lock);
  if (ledger->file < 0) return;
  (void)lock_byte(ledger, F_WRLCK, WHOLE, true);
  if (ledger->page->magic == MAGIC) return;
  memset(ledger->page->slots, 0, sizeof(ledger->page->slots));
  ledger->page->magic = MAGIC;
}

static void leave(berth_soft_ledger_t *ledger) {
  if (ledger->file >= 0) (void)lock_byte(ledger, F_UNLCK, WHOLE, false);
  berth_mutex_unlock(&ledger->lock);
}

// ---- Slots; the ledger is entered ----

// True when |slot| counts; empties one whose owner has died.
static bool is_live(berth_soft_ledger_t *ledger, int slot) {
  slot_t *entry = &ledger->page->slots[slot];
  if (entry->pid == 0) return false;
  if (slot == ledger->slot || is_foreign(ledger, slot)) return true;
  memset(entry, 0, sizeof(*entry));
  return false;
}

static uint64_t used(berth_soft_ledger_t *ledger, int card) {
  uint64_t sum = 0;
  for (int i = 0; i < SLOTS; ++i) {
    if (is_live(ledger, i)) sum += ledger->page->slots[i].bytes[card];
  }
  return sum;
}

// Finds this process a slot if it has none.
static bool own_slot(berth_soft_ledger_t *ledger) {
  for (int i = 0; ledger->slot == NO_SLOT && i < SLOTS; ++i) {
    if (is_live(ledger, i)) continue;
    if (ledger->file >= 0 &&
        !lock_byte(ledger, F_WRLCK, FIRST_SLOT + i, false)) {
      continue;
    }
    ledger->page->slots[i] = (slot_t){.pid = getpid()};
    ledger->slot = i;
  }
  return ledger->slot != NO_SLOT;
}

// ---- The rest ----

berth_soft_ledger_t *berth_soft_ledger_open(const berth_soft_cards_t *cards) {
  berth_soft_ledger_t *ledger = berth_calloc(1, sizeof(*ledger));
  if (ledger == NULL) return NULL;
  *ledger = (berth_soft_ledger_t){.cards = cards, .file = -1, .slot = NO_SLOT};
  berth_mutex_init(&ledger->lock);
  share(ledger);
  if (ledger->page == NULL) ledger->page = berth_calloc(1, sizeof(page_t));
  if (ledger->page != NULL) return ledger;
  berth_free(ledger);
  return NULL;
}

bool berth_soft_ledger_take(berth_soft_ledger_t *ledger, int card,
                            uint64_t bytes) {
  uint64_t total = ledger->cards->items[card].memory_bytes;
  enter(ledger);
  uint64_t held = used(ledger, card);
  bool fits = held <= total && bytes <= total - held && own_slot(ledger);
  if (fits) ledger->page->slots[ledger->slot].bytes[card] += bytes;
  leave(ledger);
  return fits;
}

void berth_soft_ledger_give(berth_soft_ledger_t *ledger, int card,
                            uint64_t bytes) {
  if (bytes == 0) return;
  enter(ledger);
  ledger->page->slots[ledger->slot].bytes[card] -= bytes;
  leave(ledger);
}

uint64_t berth_soft_ledger_used(berth_soft_ledger_t *ledger, int card) {
  enter(ledger);
  uint64_t sum = used(ledger, card);
  leave(ledger);
  return sum;
}

int berth_soft_ledger_holders(berth_soft_ledger_t *ledger, int card,
                              berth_soft_holder_t *holders, int capacity) {
  int count = 0;
  enter(ledger);
  for (int i = 0; i < SLOTS; ++i) {
    const slot_t *slot = &ledger->page->slots[i];
    if (!is_live(ledger, i) || slot->bytes[card] == 0) continue;
    if (count < capacity) {
      holders[count] = (berth_soft_holder_t){slot->pid, slot->bytes[card]};
    }
    ++count;
  }
  leave(ledger);
  return count;
}
