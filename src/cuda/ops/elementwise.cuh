// elementwise.cuh - Templates of kernels that compute element by element.
//
// An expression becomes a kernel:
//
//   BERTH_UNARY(neg, f32, 4, -x)              berth_unary_neg_f32
//   BERTH_BINARY(less, f32, b8, 4, x < y)     berth_binary_less_f32, to bool
//
// A thread takes as many elements at a time as the number says: 16 bytes, where
// they lie side by side and are aligned, so that memory is used as fast as it
// can be. What is left over, and everything else, is done one by one. Kernels
// of long expressions (BERTH_UNARY_LONG) do only that. Each element is read
// before it is written, so that an output may take an input's place.
#ifndef BERTH_CUDA_OPS_ELEMENTWISE_CUH_
#define BERTH_CUDA_OPS_ELEMENTWISE_CUH_

#include "cuda/math/number.cuh"
#include "cuda/ops/elementwise_params.h"

// ---- Moving several elements at once ----

typedef uint32_t berth_word_1 __attribute__((may_alias));
typedef uint64_t berth_word_2 __attribute__((may_alias));
typedef uint32_t berth_word_4
    __attribute__((vector_size(16), aligned(16), may_alias));

// Reads |size| bytes, a power of two up to 16 and a constant, as words.
BERTH_GPU_FN void berth_read_words(uint32_t *words, const void *from,
                                   uint32_t size) {
  if (size == 16) {
    const berth_word_4 all = *(const berth_word_4 *)from;
    BERTH_UNROLL for (int i = 0; i < 4; ++i) words[i] = all[i];
  } else if (size == 8) {
    const uint64_t all = *(const berth_word_2 *)from;
    words[0] = (uint32_t)all;
    words[1] = (uint32_t)(all >> 32);
  } else if (size == 4) {
    words[0] = *(const berth_word_1 *)from;
  } else if (size == 2) {
    words[0] = *(const uint16_t *)from;
  } else {
    words[0] = *(const uint8_t *)from;
  }
}

BERTH_GPU_FN void berth_write_words(void *to, const uint32_t *words,
                                    uint32_t size) {
  if (size == 16) {
    berth_word_4 all;
    BERTH_UNROLL for (int i = 0; i < 4; ++i) all[i] = words[i];
    *(berth_word_4 *)to = all;
  } else if (size == 8) {
    *(berth_word_2 *)to = words[0] | (uint64_t)words[1] << 32;
  } else if (size == 4) {
    *(berth_word_1 *)to = words[0];
  } else if (size == 2) {
    *(uint16_t *)to = (uint16_t)words[0];
  } else {
    *(uint8_t *)to = (uint8_t)words[0];
  }
}

// Element |k| of |words|, which hold elements of |type|, and the words that it
// is part of. By shifting: compilers keep arrays in memory whose bytes are
// looked at in two ways.
#define BERTH_PICK_SMALL(words, k, each) \
  ((words)[(k) * (each) / 4] >> ((k) % (4 / (each)) * (each)*8))
#define BERTH_PUT_SMALL(words, k, each, bits)    \
  ((words)[(k) * (each) / 4] |= (uint32_t)(bits) \
                                << ((k) % (4 / (each)) * (each)*8))

// Reads |pack| elements, 16 bytes at most, into the array |to| of |each| bytes
// an element, which becomes registers. A macro, so that the loop has a constant
// count when it is unrolled.
#define BERTH_READ_PACK(to, from, pack)                                   \
  do {                                                                    \
    uint32_t words_[4];                                                   \
    berth_read_words(words_, from, sizeof(to));                           \
    BERTH_UNROLL for (uint32_t k_ = 0; k_ < (pack); ++k_) {               \
      if (sizeof((to)[0]) == 1) {                                         \
        const uint8_t bits_ = (uint8_t)BERTH_PICK_SMALL(words_, k_, 1);   \
        __builtin_memcpy(&(to)[k_], &bits_, 1);                           \
      } else if (sizeof((to)[0]) == 2) {                                  \
        const uint16_t bits_ = (uint16_t)BERTH_PICK_SMALL(words_, k_, 2); \
        __builtin_memcpy(&(to)[k_], &bits_, 2);                           \
      } else {                                                            \
        __builtin_memcpy(&(to)[k_], &words_[k_ * sizeof((to)[0]) / 4],    \
                         sizeof((to)[0]));                                \
      }                                                                   \
    }                                                                     \
  } while (0)

// Writes such an array.
#define BERTH_WRITE_PACK(to, from, pack)                                   \
  do {                                                                     \
    uint32_t words_[4] = {0, 0, 0, 0};                                     \
    BERTH_UNROLL for (uint32_t k_ = 0; k_ < (pack); ++k_) {                \
      if (sizeof((from)[0]) == 1) {                                        \
        uint8_t bits_;                                                     \
        __builtin_memcpy(&bits_, &(from)[k_], 1);                          \
        BERTH_PUT_SMALL(words_, k_, 1, bits_);                             \
      } else if (sizeof((from)[0]) == 2) {                                 \
        uint16_t bits_;                                                    \
        __builtin_memcpy(&bits_, &(from)[k_], 2);                          \
        BERTH_PUT_SMALL(words_, k_, 2, bits_);                             \
      } else {                                                             \
        __builtin_memcpy(&words_[k_ * sizeof((from)[0]) / 4], &(from)[k_], \
                         sizeof((from)[0]));                               \
      }                                                                    \
    }                                                                      \
    berth_write_words(to, words_, sizeof(from));                           \
  } while (0)

// ---- Walking ----

// Stores in |offsets| where element |n| is in the first |inputs| inputs.
BERTH_GPU_FN void berth_walk_at(const berth_walk_t *walk, uint64_t n,
                                int inputs, int64_t *offsets) {
  if (walk->level_count == 1) {
    for (int k = 0; k < inputs; ++k) {
      offsets[k] = (int64_t)n * walk->levels[0].steps[k];
    }
    return;
  }
  // Walks of several levels are short enough for 32 bits.
  uint32_t rest = (uint32_t)n, at[BERTH_WALK_INPUTS] = {0, 0, 0};
  BERTH_NO_UNROLL for (uint32_t i = 0; i < walk->level_count; ++i) {
    const berth_walk_level_t *level = &walk->levels[i];
    const uint32_t next = BERTH_DIVIDE(rest, level->by);
    const uint32_t index = rest - next * level->by.divisor;
    for (int k = 0; k < inputs; ++k) at[k] += index * (uint32_t)level->steps[k];
    rest = next;
  }
  for (int k = 0; k < inputs; ++k) offsets[k] = (int64_t)at[k];
}

// The same for four elements and two inputs at once: one loop over the levels.
BERTH_GPU_FN void berth_walk_at_four(const berth_walk_t *walk,
                                     const uint64_t *n, int64_t *a,
                                     int64_t *b) {
  const int64_t a_step = walk->levels[0].steps[0];
  const int64_t b_step = walk->levels[0].steps[1];
  uint32_t rest[4], a_at[4], b_at[4];
  BERTH_UNROLL for (int k = 0; k < 4; ++k) {
    rest[k] = (uint32_t)n[k];
    a_at[k] = b_at[k] = 0;
  }
  const uint32_t levels = walk->level_count == 1 ? 0 : walk->level_count;
  BERTH_NO_UNROLL for (uint32_t i = 0; i < levels; ++i) {
    const berth_walk_level_t *level = &walk->levels[i];
    BERTH_UNROLL for (int k = 0; k < 4; ++k) {
      const uint32_t next = BERTH_DIVIDE(rest[k], level->by);
      const uint32_t index = rest[k] - next * level->by.divisor;
      a_at[k] += index * (uint32_t)level->steps[0];
      b_at[k] += index * (uint32_t)level->steps[1];
      rest[k] = next;
    }
  }
  BERTH_UNROLL for (int k = 0; k < 4; ++k) {
    a[k] = levels == 0 ? (int64_t)n[k] * a_step : (int64_t)a_at[k];
    b[k] = levels == 0 ? (int64_t)n[k] * b_step : (int64_t)b_at[k];
  }
}

// ---- One input ----

// Defines name_of_type(x, parameter).
#define BERTH_UNARY_FN(name, type, out_type, expr)        \
  BERTH_GPU_FN berth_working_##out_type name##_of_##type( \
      berth_working_##type x, double parameter) {         \
    (void)parameter;                                      \
    return BERTH_AS_##out_type(expr);                     \
  }

// Elements from |start| on, one at a time.
#define BERTH_UNARY_EACH(name, type, out_type, start)                       \
  BERTH_EACH(i, p.count - (start)) {                                        \
    out[i + (start)] = berth_store_##out_type(                              \
        name##_of_##type(berth_load_##type(in[i + (start)]), p.parameter)); \
  }

#define BERTH_UNARY_POINTERS(type, out_type)                         \
  const berth_stored_##type *in = (const berth_stored_##type *)p.in; \
  berth_stored_##out_type *out = (berth_stored_##out_type *)p.out;

// A kernel that takes |pack| elements at a time.
#define BERTH_UNARY_TO(name, type, out_type, pack, expr)               \
  BERTH_UNARY_FN(name, type, out_type, expr)                           \
  BERTH_KERNEL(berth_unary_##name##_##type, berth_unary_params_t) {    \
    BERTH_UNARY_POINTERS(type, out_type)                               \
    const uint64_t packs = p.granule >= (pack) ? p.count / (pack) : 0; \
    BERTH_EACH(i, packs) {                                             \
      berth_stored_##type x[pack];                                     \
      berth_stored_##out_type z[pack];                                 \
      BERTH_READ_PACK(x, in + i * (pack), pack);                       \
      BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) {             \
        z[k] = berth_store_##out_type(                                 \
            name##_of_##type(berth_load_##type(x[k]), p.parameter));   \
      }                                                                \
      BERTH_WRITE_PACK(out + i * (pack), z, pack);                     \
    }                                                                  \
    const uint64_t packed = packs * (pack);                            \
    BERTH_UNARY_EACH(name, type, out_type, packed)                     \
  }

#define BERTH_UNARY(name, type, pack, expr) \
  BERTH_UNARY_TO(name, type, type, pack, expr)

// A kernel of a long expression.
#define BERTH_UNARY_LONG(name, type, expr)                          \
  BERTH_UNARY_FN(name, type, type, expr)                            \
  BERTH_KERNEL(berth_unary_##name##_##type, berth_unary_params_t) { \
    BERTH_UNARY_POINTERS(type, type)                                \
    BERTH_UNARY_EACH(name, type, type, 0)                           \
  }

// ---- Two inputs ----

// Defines name_of_type(x, y, parameter).
#define BERTH_BINARY_FN(name, type, out_type, expr)                       \
  BERTH_GPU_FN berth_working_##out_type name##_of_##type(                 \
      berth_working_##type x, berth_working_##type y, double parameter) { \
    (void)parameter;                                                      \
    return BERTH_AS_##out_type(expr);                                     \
  }

// Elements from |start| on, four under way at a time: a thread reads all of
// them before it writes the first.
#define BERTH_BINARY_EACH(name, type, out_type, start)                         \
  const uint64_t rest_ = p.walk.count - (start);                               \
  const uint64_t apart_ = berth_gpu_threads();                                 \
  for (uint64_t i = berth_gpu_thread(); i < rest_; i += apart_ * 4) {          \
    berth_stored_##type x[4], y[4];                                            \
    uint64_t n[4];                                                             \
    int64_t a_at[4], b_at[4];                                                  \
    BERTH_UNROLL for (uint32_t k = 0; k < 4; ++k) {                            \
      const uint64_t next = i + apart_ * k;                                    \
      n[k] = (next < rest_ ? next : i) + (start);                              \
    }                                                                          \
    berth_walk_at_four(&p.walk, n, a_at, b_at);                                \
    BERTH_UNROLL for (uint32_t k = 0; k < 4; ++k) {                            \
      x[k] = a[a_at[k]];                                                       \
      y[k] = b[b_at[k]];                                                       \
    }                                                                          \
    BERTH_UNROLL for (uint32_t k = 0; k < 4; ++k) {                            \
      const berth_stored_##out_type z =                                        \
          berth_store_##out_type(name##_of_##type(                             \
              berth_load_##type(x[k]), berth_load_##type(y[k]), p.parameter)); \
      if (i + apart_ * k < rest_) out[n[k]] = z;                               \
    }                                                                          \
  }

#define BERTH_BINARY_POINTERS(type, out_type)                          \
  const berth_stored_##type *a = (const berth_stored_##type *)p.in[0]; \
  const berth_stored_##type *b = (const berth_stored_##type *)p.in[1]; \
  berth_stored_##out_type *out = (berth_stored_##out_type *)p.out;

// Reads a pack, or the one element that stands for all of it.
#define BERTH_READ_SIDE(to, from, step, pack)                                \
  if ((step) != 0) {                                                         \
    BERTH_READ_PACK(to, from, pack);                                         \
  } else {                                                                   \
    BERTH_UNROLL for (uint32_t k_ = 0; k_ < (pack); ++k_)(to)[k_] = *(from); \
  }

// A kernel that takes |pack| elements at a time.
#define BERTH_BINARY(name, type, out_type, pack, expr)                       \
  BERTH_BINARY_FN(name, type, out_type, expr)                                \
  BERTH_KERNEL(berth_binary_##name##_##type, berth_walk_params_t) {          \
    BERTH_BINARY_POINTERS(type, out_type)                                    \
    const uint64_t packs =                                                   \
        p.walk.granule >= (pack) ? p.walk.count / (pack) : 0;                \
    BERTH_EACH(i, packs) {                                                   \
      berth_stored_##type x[pack], y[pack];                                  \
      berth_stored_##out_type z[pack];                                       \
      int64_t at[2];                                                         \
      const uint64_t first = i * (pack);                                     \
      berth_walk_at(&p.walk, first, 2, at);                                  \
      BERTH_READ_SIDE(x, a + at[0], p.walk.levels[0].steps[0], pack)         \
      BERTH_READ_SIDE(y, b + at[1], p.walk.levels[0].steps[1], pack)         \
      BERTH_UNROLL for (uint32_t k = 0; k < (pack); ++k) {                   \
        z[k] = berth_store_##out_type(name##_of_##type(                      \
            berth_load_##type(x[k]), berth_load_##type(y[k]), p.parameter)); \
      }                                                                      \
      BERTH_WRITE_PACK(out + i * (pack), z, pack);                           \
    }                                                                        \
    const uint64_t packed = packs * (pack);                                  \
    BERTH_BINARY_EACH(name, type, out_type, packed)                          \
  }

// A kernel of a long expression: one element at a time.
#define BERTH_BINARY_LONG(name, type, expr)                            \
  BERTH_BINARY_FN(name, type, type, expr)                              \
  BERTH_KERNEL(berth_binary_##name##_##type, berth_walk_params_t) {    \
    BERTH_BINARY_POINTERS(type, type)                                  \
    BERTH_EACH(i, p.walk.count) {                                      \
      int64_t at[2];                                                   \
      berth_walk_at(&p.walk, i, 2, at);                                \
      out[i] = berth_store_##type(                                     \
          name##_of_##type(berth_load_##type(a[at[0]]),                \
                           berth_load_##type(b[at[1]]), p.parameter)); \
    }                                                                  \
  }

#endif  // BERTH_CUDA_OPS_ELEMENTWISE_CUH_
