// isa.h - Loops compiled for several instruction sets, and the choice of one.
//
// A file named *_isa.c is compiled once per set (cmake/BerthIsa.cmake). It
// exports one constant table of functions under a name that BERTH_ISA() makes
// apart; a header declares it, and the caller picks:
//
//   sum.h       typedef struct sum_loops { float (*f32)(...); } sum_loops_t;
//               BERTH_ISA_TABLE(sum_loops_t, berth_cpu_sum_loops);
//   sum_isa.c   const sum_loops_t BERTH_ISA(berth_cpu_sum_loops) = {...};
//   sum.c       const sum_loops_t *loops = BERTH_ISA_PICK(berth_cpu_sum_loops);
//
// Pick in prepare, not in run. Everything else in an *_isa.c file is static:
// an inline function shared with other files could be kept in the copy that the
// CPU does not have. This is why there are no resolvers (ifunc) either: they
// run before the sanitizers are ready.
//
// Thread-safe.
#ifndef BERTH_CPU_ISA_H_
#define BERTH_CPU_ISA_H_

typedef enum berth_isa {
  BERTH_ISA_BASELINE = 0,  // What every CPU of the architecture has.
  BERTH_ISA_AVX2 = 1,      // x86-64-v3.
  BERTH_ISA_AVX512 = 2,    // x86-64-v4.
} berth_isa_t;

// Returns the best set that this CPU and the operating system have, at most the
// one that BERTH_CPU_ISA (baseline, avx2, avx512) names in the environment.
berth_isa_t berth_isa(void);

// Returns its name: "avx2".
const char *berth_isa_name(berth_isa_t isa);

// Returns the bytes of the last-level cache; a guess where it is not known.
// Results larger than half of it are better written past the caches.
long berth_cpu_cache_size(void);

#define BERTH_ISA_PASTE2(name, suffix) name##suffix
#define BERTH_ISA_PASTE(name, suffix) BERTH_ISA_PASTE2(name, suffix)
// The name of something in the copy of an *_isa.c file being compiled.
#define BERTH_ISA(name) BERTH_ISA_PASTE(name, BERTH_ISA_SUFFIX)

#if defined(__x86_64__)
#define BERTH_ISA_TABLE(type, name)  \
  extern const type name##_baseline; \
  extern const type name##_avx2;     \
  extern const type name##_avx512
#define BERTH_ISA_PICK(name)                        \
  (berth_isa() == BERTH_ISA_AVX512 ? &name##_avx512 \
   : berth_isa() == BERTH_ISA_AVX2 ? &name##_avx2   \
                                   : &name##_baseline)
#else
#define BERTH_ISA_TABLE(type, name) extern const type name##_baseline
#define BERTH_ISA_PICK(name) (&name##_baseline)
#endif

#endif  // BERTH_CPU_ISA_H_
