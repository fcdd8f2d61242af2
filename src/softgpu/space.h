// space.h - Which addresses of the process belong to the simulated cards.
//
// An address on a card is an address of the process: kernels compiled for the
// host use it as it is. This table knows the ranges in use, so that a copy
// beyond them fails as the driver's does.
//
// Thread-safe; no stream's thread comes here.
#ifndef BERTH_SOFTGPU_SPACE_H_
#define BERTH_SOFTGPU_SPACE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/api/driver.h"

typedef enum berth_soft_range_kind {
  BERTH_SOFT_PLAIN = 1,       // cuMemAlloc.
  BERTH_SOFT_MANAGED = 2,     // cuMemAllocManaged.
  BERTH_SOFT_PINNED = 4,      // cuMemHostAlloc.
  BERTH_SOFT_REGISTERED = 8,  // cuMemHostRegister.
  BERTH_SOFT_MAPPED = 16,     // cuMemMap.
} berth_soft_range_kind_t;

typedef struct berth_soft_range {
  uint64_t begin;
  uint64_t size;
  berth_soft_range_kind_t kind;
  bool is_closed;     // Mapped, and no access was given.
  CUcontext context;  // Whose it is; NULL for mapped memory.
  uint64_t charged_bytes;
  uint64_t handle;  // Of mapped memory.
} berth_soft_range_t;

// Adds |range|; CUDA_ERROR_INVALID_VALUE when it overlaps another.
CUresult berth_soft_space_add(const berth_soft_range_t *range);

// Removes the range of one of |kinds| that begins at |begin| and stores it in
// |*out_range|; false when there is none.
bool berth_soft_space_take(uint64_t begin, int kinds,
                           berth_soft_range_t *out_range);

// Finds the first range that ends after |address|; false when there is none.
bool berth_soft_space_next(uint64_t address, berth_soft_range_t *out_range);

// Opens or closes the range that begins at |begin|.
void berth_soft_space_set_closed(uint64_t begin, bool is_closed);

// True when every byte is in an open range of one of |kinds|; ranges may
// adjoin.
bool berth_soft_space_covers(uint64_t address, uint64_t size, int kinds);

// Any memory that a card can use.
enum {
  BERTH_SOFT_ANY = BERTH_SOFT_PLAIN | BERTH_SOFT_MANAGED | BERTH_SOFT_PINNED |
                   BERTH_SOFT_REGISTERED | BERTH_SOFT_MAPPED,
  BERTH_SOFT_HOST = BERTH_SOFT_PINNED | BERTH_SOFT_REGISTERED,
};

// Removes all that |context| owns, and frees it.
void berth_soft_space_forget(CUcontext context);

// Gets |size| bytes of zeroed memory that is committed when it is touched, and
// gives them back. 0 when the process has no addresses left. (stress.h makes it
// other than zeros.)
uint64_t berth_soft_pages_get(uint64_t size);
void berth_soft_pages_give(uint64_t address, uint64_t size);

#endif  // BERTH_SOFTGPU_SPACE_H_
