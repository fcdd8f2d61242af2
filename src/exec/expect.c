// expect.c - Shapes that a step tells only when it has run.
#include "exec/expect.h"

// A step that was wrong so often is not relied on.
enum { MOST_MISSES = 3 };

// True when |step| reads a variable that the program knows: the shape is found
// there.
static bool reads_known(const berth_program_t *p, const berth_step_t *step) {
  return step->reads && p->settled[p->args[step->first_arg]] != NULL;
}

// True when what |step| makes has a shape that the step alone knows.
static bool surprises(const berth_program_t *p, const berth_step_t *step) {
  return (step->traits & BERTH_OP_MAKES) != 0 && !reads_known(p, step) &&
         step->blocker < 0 && step->output_count == 1;
}

berth_code_t berth_expect_init(berth_program_t *p, berth_error_t *err) {
  bool any = false;
  for (int s = 0; s < p->step_count; ++s) any = any || surprises(p, &p->steps[s]);
  if (!any || p->flow != NULL || p->signature.is_partial) return BERTH_OK;
  p->expected = berth_arena_calloc(&p->arena, (size_t)p->step_count,
                                   sizeof(*p->expected));
  return p->expected != NULL ? BERTH_OK
                             : berth_error_no_memory(err, "a program");
}

berth_dims_t berth_expect_get(const berth_program_t *p, int index) {
  const berth_expected_t *expected =
      p->expected != NULL ? &p->expected[index] : NULL;
  if (expected == NULL || p->expects_nothing || !expected->is_known ||
      expected->misses >= MOST_MISSES) {
    return (berth_dims_t){.rank = -1};
  }
  return (berth_dims_t){expected->shape.rank, expected->shape.dims};
}

// Learns |dims|; false when that is nothing new, or of no use.
static bool learn(berth_expected_t *expected, berth_dims_t dims) {
  berth_dims_t known = {expected->shape.rank, expected->shape.dims};
  if (expected->misses >= MOST_MISSES ||
      (expected->is_known && berth_dims_equal(known, dims))) {
    return false;
  }
  if (expected->is_known) ++expected->misses;
  expected->is_known = true;
  expected->shape.rank = dims.rank;
  for (int32_t i = 0; i < dims.rank; ++i)
    expected->shape.dims[i] = dims.dims[i];
  return expected->misses < MOST_MISSES;
}

bool berth_expect_note(berth_program_t *p, int index, berth_dims_t dims) {
  if (p->expected == NULL || !surprises(p, &p->steps[index])) return false;
  berth_mutex_lock(&p->lock);
  bool will_be = !p->expects_nothing && learn(&p->expected[index], dims);
  berth_mutex_unlock(&p->lock);
  return will_be;
}
