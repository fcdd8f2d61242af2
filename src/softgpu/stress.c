// stress.c - Making a missing order show.
#include "softgpu/stress.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/str.h"
#include "base/thread.h"

#define PATTERN_BYTES ((uint64_t)16 << 20)

enum { CHUNK_BYTES = 1 << 20, KEPT = 64 };

// Constant once read.
static bool is_on = false;
static uint64_t seed = 0;

static atomic_uint_least64_t streams = 0;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards what follows.
static int pattern = -1;                       // A file of PATTERN_BYTES.
// Freed pages, the next to go first.
static struct {
  void *memory;
  uint64_t size;
} kept[KEPT];
static size_t kept_count = 0;

berth_code_t berth_soft_stress_read(berth_error_t *err) {
  const char *text = berth_env_get("BERTH_SOFTGPU_STRESS");
  int64_t value = 0;
  if (text == NULL || text[0] == '\0') return BERTH_OK;
  if (!berth_parse_int64(text, &value)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "BERTH_SOFTGPU_STRESS is \"%s\", which is no whole "
                           "number: set it to a seed, or unset it",
                           text);
  }
  seed = (uint64_t)value;
  is_on = true;
  return BERTH_OK;
}

bool berth_soft_stress_is_on(void) { return is_on; }

// ---- Pauses ----

// Mixes the bits of |x|: a step of the generator called splitmix64.
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t berth_soft_stress_dice(void) {
  if (!is_on) return 0;
  uint64_t number =
      atomic_fetch_add_explicit(&streams, 1, memory_order_relaxed);
  return mix(mix(seed + 0x9e3779b97f4a7c15u) + number) | 1;
}

int64_t berth_soft_stress_throw(uint64_t *dice) {
  *dice += 0x9e3779b97f4a7c16u;  // Even: what was odd is never 0.
  uint64_t thrown = mix(*dice);
  uint64_t kind = thrown % 32;
  // Half of all works follow at once, as most do on a card; a few come so late
  // that everything else has gone on meanwhile.
  if (kind >= 16) return 0;
  int64_t longest = kind == 0 ? 2000000 : kind < 6 ? 200000 : 20000;
  return (int64_t)(thrown >> 32 & 0xffff) * longest / 0xffff;
}

void berth_soft_stress_pause(uint64_t *dice) {
  if (*dice == 0) return;
  struct timespec pause = {.tv_nsec = (long)berth_soft_stress_throw(dice)};
  if (pause.tv_nsec > 0) nanosleep(&pause, NULL);
}

// ---- Contents ----

// Writes |size| spoilt bytes to |file|.
static bool write_spoilt(int file, uint64_t offset, uint64_t size) {
  char *chunk = berth_alloc(CHUNK_BYTES);
  if (chunk == NULL) return false;
  memset(chunk, BERTH_SOFT_SPOILT, CHUNK_BYTES);
  bool is_written = true;
  for (uint64_t at = 0; is_written && at < size;) {
    uint64_t left = size - at;
    size_t part = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
    ssize_t count = pwrite(file, chunk, part, (off_t)(offset + at));
    is_written = count > 0;
    if (is_written) at += (uint64_t)count;
  }
  berth_free(chunk);
  return is_written;
}

// Makes the file that untouched pages show; the lock is held.
static bool make_pattern(void) {
  if (pattern >= 0) return true;
  int made = memfd_create("berth-softgpu-spoilt", MFD_CLOEXEC);
  if (made < 0) return false;
  if (!write_spoilt(made, 0, PATTERN_BYTES)) {
    close(made);
    return false;
  }
  pattern = made;
  return true;
}

bool berth_soft_stress_spoil(void *memory, uint64_t size) {
  if (!is_on) return true;
  berth_mutex_lock(&lock);
  bool is_spoilt = make_pattern();
  berth_mutex_unlock(&lock);
  for (uint64_t at = 0; is_spoilt && at < size; at += PATTERN_BYTES) {
    uint64_t part = size - at < PATTERN_BYTES ? size - at : PATTERN_BYTES;
    is_spoilt =
        mmap((char *)memory + at, part, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, pattern, 0) != MAP_FAILED;
  }
  return is_spoilt;
}

bool berth_soft_stress_spoil_file(int file, uint64_t offset, uint64_t size) {
  if (!is_on) return true;
  if (size > BERTH_SOFT_SPOILT_BYTES) size = BERTH_SOFT_SPOILT_BYTES;
  return write_spoilt(file, offset, size);
}

// ---- Freed pages ----

bool berth_soft_stress_keep(void *memory, uint64_t size) {
  if (!is_on || mmap(memory, size, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                     -1, 0) == MAP_FAILED) {
    return false;
  }
  berth_mutex_lock(&lock);
  size_t place = kept_count++ % KEPT;
  if (kept[place].memory != NULL) {
    munmap(kept[place].memory, kept[place].size);
  }
  kept[place].memory = memory;
  kept[place].size = size;
  berth_mutex_unlock(&lock);
  return true;
}
