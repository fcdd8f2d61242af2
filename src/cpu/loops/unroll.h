// unroll.h - How compilers are asked to unroll a loop.
#ifndef BERTH_CPU_LOOPS_UNROLL_H_
#define BERTH_CPU_LOOPS_UNROLL_H_

// Unrolls the loop that follows, whose count is constant and at most 16.
#if defined(__clang__)
#define BERTH_UNROLL _Pragma("clang loop unroll(full)")
#else
#define BERTH_UNROLL _Pragma("GCC unroll 16")
#endif

#endif  // BERTH_CPU_LOOPS_UNROLL_H_
