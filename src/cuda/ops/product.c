// product.c - Products of many matrices, as cards compute them.
#include "cuda/ops/product.h"

// A loop over products while it is put together.
typedef struct level {
  int64_t dim, a_step, b_step;
} level_t;

// Makes levels from the dimensions of the batch, innermost first; neighbours
// whose steps fit together are one. Returns how many there are.
static int32_t find_levels(const berth_product_t *product, level_t *levels) {
  int64_t a_size = product->m * product->k, b_size = product->k * product->n;
  int32_t count = 0;
  for (int32_t i = product->batch_rank; i-- > 0;) {
    level_t next = {product->batch_dims[i], product->a_steps[i] * a_size,
                    product->b_steps[i] * b_size};
    level_t *last = count > 0 ? &levels[count - 1] : NULL;
    if (next.dim == 1) continue;
    if (last != NULL && next.a_step == last->a_step * last->dim &&
        next.b_step == last->b_step * last->dim) {
      last->dim *= next.dim;
    } else {
      levels[count++] = next;
    }
  }
  return count;
}

// With one B for all of the innermost level the rows of its As are the rows of
// one. True when it was so, and the level is no longer needed.
static bool join_rows(berth_cuda_product_t *product, const level_t *level) {
  if (product->transpose_a || level->b_step != 0 ||
      level->a_step != product->m * product->k) {
    return false;
  }
  product->m *= level->dim;
  return true;
}

// Makes the innermost of |count| levels the batch and keeps the others, the
// other way round, in |to|, which has room for 3 * |count| numbers.
static void keep_levels(berth_cuda_product_t *product, const level_t *levels,
                        int32_t count, int64_t *to) {
  product->batch = count > 0 ? levels[0].dim : 1;
  product->a_step = count > 0 ? levels[0].a_step : 0;
  product->b_step = count > 0 ? levels[0].b_step : 0;
  product->repeats = 1;
  product->levels = count > 0 ? count - 1 : 0;
  product->dims = to;
  product->a_steps = to + product->levels;
  product->b_steps = to + 2 * product->levels;
  for (int32_t i = 0; i < product->levels; ++i) {
    const level_t *from = &levels[count - 1 - i];
    product->repeats *= from->dim;
    to[i] = from->dim;
    to[product->levels + i] = from->a_step;
    to[2 * product->levels + i] = from->b_step;
  }
}

berth_code_t berth_cuda_product_from(const berth_product_t *product,
                                     berth_arena_t *arena,
                                     berth_cuda_product_t *out_product,
                                     berth_error_t *err) {
  size_t rank = (size_t)product->batch_rank;
  level_t *levels = berth_arena_calloc(arena, rank, sizeof(*levels));
  int64_t *kept = berth_arena_calloc(arena, 3 * rank, sizeof(*kept));
  if (levels == NULL || kept == NULL) {
    return berth_error_no_memory(err, "the plan of a product");
  }
  *out_product = (berth_cuda_product_t){.dtype = product->dtype,
                                        .m = product->m,
                                        .n = product->n,
                                        .k = product->k,
                                        .transpose_a = product->transpose_a,
                                        .transpose_b = product->transpose_b,
                                        .conj_a = product->conj_a,
                                        .conj_b = product->conj_b};
  int32_t count = find_levels(product, levels);
  int32_t joined = count > 0 && join_rows(out_product, &levels[0]) ? 1 : 0;
  keep_levels(out_product, levels + joined, count - joined, kept);
  return BERTH_OK;
}

berth_cuda_operands_t berth_cuda_product_operands(
    const berth_cuda_product_t *product, void *const *args, int64_t index) {
  int64_t size = (int64_t)berth_dtype_size(product->dtype);
  int64_t a = 0, b = 0;
  int64_t c = index * product->batch * product->m * product->n;
  for (int32_t i = product->levels; i-- > 0;) {
    a += index % product->dims[i] * product->a_steps[i];
    b += index % product->dims[i] * product->b_steps[i];
    index /= product->dims[i];
  }
  return (berth_cuda_operands_t){(const char *)args[0] + a * size,
                                 (const char *)args[1] + b * size,
                                 (char *)args[2] + c * size};
}
