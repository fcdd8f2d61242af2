// top_k.cu - Kernels of TopKV2: picking the first few; keys, one step of sorting,
// and the results.
#include "cuda/ops/top_k_params.h"

#include "cuda/math/block.cuh"
#include "cuda/math/team.h"
#include "cuda/math/unit.cuh"

// ---- Keys: unsigned numbers in the order of the elements ----

// Of floats the larger a negative one is, the smaller its bits; both zeros are
// the same.
#define FLOAT_KEY(bits, sign)                                             \
  ((bits) == (sign)         ? (uint64_t)(sign)                            \
   : ((bits) & (sign)) != 0 ? (uint64_t)(~(bits) & ((sign) | ((sign)-1))) \
                            : (uint64_t)((bits) | (sign)))
#define F16_KEY(x) FLOAT_KEY((uint32_t)(x), 0x8000U)
#define F32_KEY(x) FLOAT_KEY((uint32_t)(x), 0x80000000U)
#define F64_KEY(x) FLOAT_KEY((uint64_t)(x), 0x8000000000000000U)
#define SIGNED_KEY(x) ((uint64_t)(int64_t)(x) ^ 0x8000000000000000U)
#define UNSIGNED_KEY(x) ((uint64_t)(x))

#define DEFINE_KEYS(type, element_t, KEY)                       \
  BERTH_KERNEL(berth_top_k_keys_##type, berth_top_k_params_t) { \
    const element_t *in = (const element_t *)p.in;              \
    BERTH_EACH(i, p.rows *p.width) {                            \
      const uint64_t row = i / p.width, at = i - row * p.width; \
      const element_t x = at < p.n ? in[row * p.n + at] : 0;    \
      p.keys[i] = at < p.n ? KEY(x) : 0;                        \
      p.entries[i] = (uint32_t)at;                              \
    }                                                           \
  }
DEFINE_KEYS(f16, uint16_t, F16_KEY)
DEFINE_KEYS(f32, uint32_t, F32_KEY)
DEFINE_KEYS(f64, uint64_t, F64_KEY)
DEFINE_KEYS(i8, int8_t, SIGNED_KEY)
DEFINE_KEYS(i16, int16_t, SIGNED_KEY)
DEFINE_KEYS(i32, int32_t, SIGNED_KEY)
DEFINE_KEYS(i64, int64_t, SIGNED_KEY)
DEFINE_KEYS(u8, uint8_t, UNSIGNED_KEY)
DEFINE_KEYS(u16, uint16_t, UNSIGNED_KEY)
DEFINE_KEYS(u32, uint32_t, UNSIGNED_KEY)
DEFINE_KEYS(u64, uint64_t, UNSIGNED_KEY)

// ---- Picking the first few ----

// An element of at most 32 bits and its place are one number: of equal elements
// the first in the row has the largest. None is 0, and none is as large as all
// bits.
#define ENTRY(key, at) ((uint64_t)(uint32_t)(key) << 32 | (0xfffffffeU - (at)))
#define PLACE_OF(entry) (0xfffffffeU - (uint32_t)(entry))
#define SIGNED_KEY_32(x) ((uint32_t)(int32_t)(x) ^ 0x80000000U)
#define UNSIGNED_KEY_32(x) ((uint32_t)(x))

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
BERTH_BLOCK_REDUCE(largest, uint64_t, LARGER)

// A team has a row. Each of its threads knows the largest of its elements; the
// largest of these comes next, and its thread looks for another, below it.
#define DEFINE_PICK(type, element_t, KEY)                                      \
  BERTH_GPU_FN uint64_t pick_##type(const element_t *row, uint64_t n,          \
                                    berth_team_t team, uint64_t below) {       \
    uint64_t best = 0;                                                         \
    for (uint64_t at = team.lane; at < n; at += team.lanes) {                  \
      const uint64_t entry = ENTRY(KEY(row[at]), (uint32_t)at);                \
      best = entry < below && entry > best ? entry : best;                     \
    }                                                                          \
    return best;                                                               \
  }                                                                            \
                                                                               \
  BERTH_KERNEL(berth_top_k_pick_##type, berth_top_k_params_t) {                \
    const berth_team_t team = berth_team(p.team);                              \
    for (uint64_t i = team.index; i < p.rows; i += team.count) {               \
      const element_t *row = (const element_t *)p.in + i * p.n;                \
      uint64_t best = pick_##type(row, p.n, team, ~(uint64_t)0);               \
      for (uint64_t j = 0; j < p.k; ++j) {                                     \
        const uint64_t next = largest_team(best, team);                        \
        const uint32_t at = PLACE_OF(next);                                    \
        if (team.lane == 0) {                                                  \
          ((element_t *)p.values)[i * p.k + j] = row[at];                      \
          p.indices[i * p.k + j] = (int32_t)at;                                \
        }                                                                      \
        if (best == next) best = pick_##type(row, p.n, team, next);            \
      }                                                                        \
    }                                                                          \
  }
DEFINE_PICK(f16, uint16_t, F16_KEY)
DEFINE_PICK(f32, uint32_t, F32_KEY)
DEFINE_PICK(i8, int8_t, SIGNED_KEY_32)
DEFINE_PICK(i16, int16_t, SIGNED_KEY_32)
DEFINE_PICK(i32, int32_t, SIGNED_KEY_32)
DEFINE_PICK(u8, uint8_t, UNSIGNED_KEY_32)
DEFINE_PICK(u16, uint16_t, UNSIGNED_KEY_32)
DEFINE_PICK(u32, uint32_t, UNSIGNED_KEY_32)

// ---- Sorting ----

// Says whether entry |a| comes before |b| where the largest comes first. Of
// equal ones the first in the row does, so entries beyond it come last.
BERTH_GPU_FN uint8_t is_first(const berth_top_k_params_t *p, uint64_t a,
                              uint64_t b) {
  return p->keys[a] > p->keys[b] ||
         (p->keys[a] == p->keys[b] && p->entries[a] < p->entries[b]);
}

// Each thread compares a pair: every other run is in order, the rest against
// it.
BERTH_KERNEL(berth_top_k_step, berth_top_k_params_t) {
  BERTH_EACH(i, p.rows * p.width / 2) {
    const uint64_t a = i / p.apart * 2 * p.apart + i % p.apart;
    const uint64_t b = a + p.apart;
    const uint8_t is_in_order = (a % p.width & p.run) == 0;
    if (is_first(&p, a, b) == is_in_order) continue;
    const uint64_t key = p.keys[a];
    const uint32_t entry = p.entries[a];
    p.keys[a] = p.keys[b];
    p.entries[a] = p.entries[b];
    p.keys[b] = key;
    p.entries[b] = entry;
  }
}

// The same for a whole row, by a block and in its shared memory. Only the first
// |k| entries are handed on.
BERTH_GPU_FN void sort_held(uint64_t *keys, uint32_t *entries, uint64_t width) {
  for (uint64_t run = 2; run <= width; run *= 2) {
    for (uint64_t apart = run / 2; apart > 0; apart /= 2) {
      for (uint64_t i = berth_gpu_lane(); i < width / 2;
           i += berth_gpu_lanes()) {
        const uint64_t a = 2 * i - (i & (apart - 1)), b = a + apart;
        const uint64_t key = keys[a], other = keys[b];
        const uint32_t entry = entries[a];
        const int is_in_order = (a & run) == 0;
        const int is_first =
            key > other || (key == other && entry < entries[b]);
        if (is_first == is_in_order) continue;
        keys[a] = other;
        entries[a] = entries[b];
        keys[b] = key;
        entries[b] = entry;
      }
      berth_block_sync();
    }
  }
}

BERTH_KERNEL(berth_top_k_sort, berth_top_k_params_t) {
  BERTH_SHARED(uint64_t, keys, BERTH_TOP_K_HELD);
  BERTH_SHARED(uint32_t, entries, BERTH_TOP_K_HELD);
  for (uint64_t row = berth_gpu_block(); row < p.rows;
       row += berth_gpu_blocks()) {
    for (uint64_t i = berth_gpu_lane(); i < p.width; i += berth_gpu_lanes()) {
      keys[i] = p.keys[row * p.width + i];
      entries[i] = (uint32_t)i;
    }
    berth_block_sync();
    sort_held(keys, entries, p.width);
    for (uint64_t i = berth_gpu_lane(); i < p.k; i += berth_gpu_lanes()) {
      p.entries[row * p.width + i] = entries[i];
    }
    /* Nobody may write the next row before all have read. */
    berth_block_sync();
  }
}

// ---- Results ----

#define DEFINE_TAKE(size)                                             \
  BERTH_KERNEL(berth_top_k_take_##size, berth_top_k_params_t) {       \
    const berth_unit_##size *in = (const berth_unit_##size *)p.in;    \
    berth_unit_##size *values = (berth_unit_##size *)p.values;        \
    BERTH_EACH(i, p.rows *p.k) {                                      \
      const uint64_t row = i / p.k;                                   \
      const uint32_t at = p.entries[row * p.width + (i - row * p.k)]; \
      values[i] = in[row * p.n + at];                                 \
      p.indices[i] = (int32_t)at;                                     \
    }                                                                 \
  }
DEFINE_TAKE(x1)
DEFINE_TAKE(x2)
DEFINE_TAKE(x4)
DEFINE_TAKE(x8)
