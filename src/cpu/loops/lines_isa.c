// lines_isa.c - Lines that are added, for each instruction set.
#include "cpu/loops/lines.h"

#include "cpu/loops/simd.h"
#include "cpu/loops/vexp.h"

static BERTH_INLINE void line_add(int64_t length, const float *from,
                                  float *to) {
  int64_t j = 0;
  for (; j + BERTH_F32_LANES <= length; j += BERTH_F32_LANES) {
    berth_f32v_store(to + j,
                     berth_f32v_load(to + j) + berth_f32v_load(from + j));
  }
#if defined(__AVX512F__)
  if (j == length) return;
  berth_f32v_store_part(to + j,
                        berth_f32v_load_part(to + j, length - j, 0) +
                            berth_f32v_load_part(from + j, length - j, 0),
                        length - j);
#else
  for (; j < length; ++j) to[j] += from[j];
#endif
}

// What was just stored is not loaded again in other pieces, which CPUs wait
// for: lines that touch each other are not added one after the other.
static void add(const berth_lines_t *lines, const float *from, float *to) {
  int64_t apart = (lines->length + lines->to_step - 1) / lines->to_step;
  for (int64_t first = 0; first < apart; ++first) {
    for (int64_t i = first; i < lines->count; i += apart) {
      line_add(lines->length, from + i * lines->from_step,
               to + i * lines->to_step);
    }
  }
}

static void add_f64(const berth_lines_t *lines, const double *from,
                    double *to) {
  for (int64_t i = 0; i < lines->count; ++i) {
    BERTH_VECTOR_LOOP
    for (int64_t j = 0; j < lines->length; ++j) {
      to[i * lines->to_step + j] += from[i * lines->from_step + j];
    }
  }
}

static void add_times(int64_t length, const float *from, float by, float *to) {
  BERTH_VECTOR_LOOP
  for (int64_t j = 0; j < length; ++j) to[j] = to[j] + from[j] * by;
}

const berth_lines_loops_t BERTH_ISA(berth_cpu_lines_loops) = {
    .add = add, .add_f64 = add_f64, .add_times = add_times};
