// stress.h - Making a missing order show: BERTH_SOFTGPU_STRESS=<seed>.
//
// A card is not obliged to be as kind as host memory and a thread are. With a
// seed in that variable
//
//   - a stream pauses before each of its works, and each node of a graph, for a
//     time that the seed, the stream and the work decide;
//   - memory that was just allocated is filled with BERTH_SOFT_SPOILT instead
//     of zeros;
//   - memory that was freed cannot be touched, and its addresses are not handed
//     out again for a while;
//   - copies of pageable host memory read and write it as late as the driver's
//     documentation allows: an asynchronous one when the stream comes to it, a
//     synchronous one to the card returns when its bytes are taken.
//
// Nothing of it orders anything: the thread sanitizer sees what it sees without.
// The same seed gives the same pauses, stream by stream in the order in which
// they were created.
//
// Thread-safe once berth_soft_stress_read() has returned.
#ifndef BERTH_SOFTGPU_STRESS_H_
#define BERTH_SOFTGPU_STRESS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { BERTH_SOFT_SPOILT = 0xA5 };

// How much of memory that is not filled when it is touched (mapping.c) is
// filled: a pool that takes a whole card would otherwise commit all of it.
#define BERTH_SOFT_SPOILT_BYTES ((uint64_t)64 << 20)

// Reads the variable, before there are streams and memory.
// BERTH_INVALID_ARGUMENT when it holds no whole number.
BERTH_NODISCARD berth_code_t berth_soft_stress_read(berth_error_t *err);

// True when there is a seed.
bool berth_soft_stress_is_on(void);

// Returns the dice of one more stream; 0, and no pauses, without a seed.
uint64_t berth_soft_stress_dice(void);

// Throws |dice| and returns how long to pause, often not at all.
int64_t berth_soft_stress_throw(uint64_t *dice);

// Pauses as |dice| say.
void berth_soft_stress_pause(uint64_t *dice);

// Makes |size| bytes at |memory|, fresh pages of this process, read as spoilt;
// they are committed when they are written. False when there is no memory.
// Does nothing without a seed.
bool berth_soft_stress_spoil(void *memory, uint64_t size);

// Does the same to |size| bytes of |file| from |offset| on, the first
// BERTH_SOFT_SPOILT_BYTES of them.
bool berth_soft_stress_spoil_file(int file, uint64_t offset, uint64_t size);

// Takes over pages that were freed: true when they are kept from use, to be
// given back later; false without a seed.
bool berth_soft_stress_keep(void *memory, uint64_t size);

#endif  // BERTH_SOFTGPU_STRESS_H_
