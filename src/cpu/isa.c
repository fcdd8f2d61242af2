// isa.c - Which instruction set this CPU has.
#include "cpu/isa.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/env.h"

#if defined(__x86_64__)
#include <cpuid.h>

// The parts of x86-64-v3 that not every compiler's __builtin_cpu_supports()
// knows by name.
static bool has_v3_rest(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
  if (!(c & bit_F16C) || !(c & bit_MOVBE)) return false;
  return __get_cpuid(0x80000001U, &a, &b, &c, &d) && (c & bit_LZCNT);
}

static berth_isa_t detect(void) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
      !has_v3_rest()) {
    return BERTH_ISA_BASELINE;
  }
  bool v4 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return v4 ? BERTH_ISA_AVX512 : BERTH_ISA_AVX2;
}
#else
static berth_isa_t detect(void) { return BERTH_ISA_BASELINE; }
#endif

static const char *const names[] = {"baseline", "avx2", "avx512"};

const char *berth_isa_name(berth_isa_t isa) { return names[isa]; }

static berth_isa_t choose(void) {
  berth_isa_t best = detect();
  const char *wish = berth_env_get("BERTH_CPU_ISA");
  if (wish == NULL) return best;
  for (int i = 0; i < (int)best; ++i) {
    if (strcmp(wish, names[i]) == 0) return (berth_isa_t)i;
  }
  return best;
}

berth_isa_t berth_isa(void) {
  static atomic_int chosen = -1;
  int isa = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (BERTH_UNLIKELY(isa < 0)) {
    isa = (int)choose();
    atomic_store_explicit(&chosen, isa, memory_order_relaxed);
  }
  return (berth_isa_t)isa;
}

long berth_cpu_cache_size(void) {
  static atomic_long known = 0;
  long size = atomic_load_explicit(&known, memory_order_relaxed);
  if (size != 0) return size;
#ifdef _SC_LEVEL3_CACHE_SIZE
  size = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  // Some virtual machines and most other architectures do not say. Others add
  // up the caches of a whole package, of which a core sees one part.
  if (size <= 0) size = 16L << 20;
  if (size > 32L << 20) size = 32L << 20;
  atomic_store_explicit(&known, size, memory_order_relaxed);
  return size;
}
