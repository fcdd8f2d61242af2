// kernels.h - The tables of CPU kernels, one per family of ops.
//
// Each family is a file (or a few) of its own that exports its table;
// kernels.c adds them all to the registry. Constant.
#ifndef BERTH_CPU_KERNELS_H_
#define BERTH_CPU_KERNELS_H_

#include "kernel/kernel.h"

// Declares the table of one family and the number of its kernels.
#define BERTH_CPU_TABLE(family)                               \
  extern const berth_kernel_t berth_cpu_##family##_kernels[]; \
  extern const int berth_cpu_##family##_kernel_count

// Elementwise: binary.c, strings.c, text.c, unary.c, select.c, cast.c, add_n.c,
// like.c.
BERTH_CPU_TABLE(binary);
BERTH_CPU_TABLE(string);
BERTH_CPU_TABLE(text);
BERTH_CPU_TABLE(unary);
BERTH_CPU_TABLE(select);
BERTH_CPU_TABLE(cast);
BERTH_CPU_TABLE(add_n);
BERTH_CPU_TABLE(like);

// Arrays: alias.c, shape.c, concat.c, split.c, slice.c, tile.c, pad.c,
// transpose.c, range.c, lin_space.c, gather.c, one_hot.c, where.c, unique.c.
BERTH_CPU_TABLE(alias);
BERTH_CPU_TABLE(shape);
BERTH_CPU_TABLE(concat);
BERTH_CPU_TABLE(split);
BERTH_CPU_TABLE(slice);
BERTH_CPU_TABLE(tile);
BERTH_CPU_TABLE(pad);
BERTH_CPU_TABLE(transpose);
BERTH_CPU_TABLE(range);
BERTH_CPU_TABLE(lin_space);
BERTH_CPU_TABLE(gather);
BERTH_CPU_TABLE(one_hot);
BERTH_CPU_TABLE(where);
BERTH_CPU_TABLE(unique);

// Random numbers, state, and what is said about tensors: random.c, variable.c,
// queue.c, report.c, check.c. Conditionals and loops: flow.c.
BERTH_CPU_TABLE(random);
BERTH_CPU_TABLE(variable);
BERTH_CPU_TABLE(queue);
BERTH_CPU_TABLE(report);
BERTH_CPU_TABLE(check);
BERTH_CPU_TABLE(flow);

// Products and reductions: matmul.c, einsum.c, bias.c, softmax.c, reduce.c,
// arg.c, top_k.c, in_top_k.c, l2_loss.c.
BERTH_CPU_TABLE(matmul);
BERTH_CPU_TABLE(einsum);
BERTH_CPU_TABLE(bias);
BERTH_CPU_TABLE(softmax);
BERTH_CPU_TABLE(reduce);
BERTH_CPU_TABLE(arg);
BERTH_CPU_TABLE(top_k);
BERTH_CPU_TABLE(in_top_k);
BERTH_CPU_TABLE(l2_loss);

// Adds all of them to the registry of kernels, for devices of type CPU.
BERTH_NODISCARD berth_code_t berth_cpu_add_kernels(berth_error_t *err);

#endif  // BERTH_CPU_KERNELS_H_
