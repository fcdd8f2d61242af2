// twin.c - Finding nodes that compute the same.
#include "exec/twin.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "tensor/compact.h"

enum {
  MOST_BYTES = 4096,  // Of a constant that is compared with others.
  HASHED_BYTES = 64,  // Of those that are hashed.
};

bool berth_twins_init(berth_twins_t *twins, int node_count) {
  size_t count = 64, nodes = (size_t)node_count + 1;
  while (count < nodes) count *= 2;
  *twins = (berth_twins_t){.mask = (uint32_t)count - 1};
  twins->heads = berth_alloc(count * sizeof(*twins->heads));
  twins->entries = berth_alloc(nodes * sizeof(*twins->entries));
  twins->of = berth_alloc(nodes * sizeof(*twins->of));
  if (twins->heads == NULL || twins->entries == NULL || twins->of == NULL) {
    return false;
  }
  memset(twins->heads, 0xff, count * sizeof(*twins->heads));
  memset(twins->of, 0xff, nodes * sizeof(*twins->of));
  return true;
}

void berth_twins_deinit(berth_twins_t *twins) {
  berth_free(twins->heads);
  berth_free(twins->entries);
  berth_free(twins->of);
  berth_free(twins->found);
  *twins = (berth_twins_t){0};
}

// ---- What may have twins ----

// True when |node| takes and makes values alone, no variables or handles.
static bool has_values_alone(const berth_node_t *node) {
  for (int i = 0; i < node->op->input_count; ++i) {
    if (node->op->inputs[i].is_ref) return false;
  }
  for (int i = 0; i < node->output_count; ++i) {
    berth_dtype_t dtype = node->output_types[i];
    if (berth_dtype_is_ref(dtype) ||
        (dtype != BERTH_STRING && !berth_dtype_is_plain(dtype))) {
      return false;
    }
  }
  return node->output_count > 0;
}

static const berth_tensor_t *constant_of(const berth_node_t *node) {
  const berth_attr_value_t *value = berth_node_attr(node, "value");
  return value != NULL && value->kind == BERTH_ATTR_TENSOR ? value->tensor
                                                           : NULL;
}

static bool is_small_constant(const berth_node_t *node) {
  const berth_tensor_t *value = constant_of(node);
  return value != NULL && berth_dtype_is_plain(value->dtype) &&
         value->size <= MOST_BYTES;
}

bool berth_twins_seek(const berth_twins_t *twins, const berth_step_t *step) {
  const berth_op_schema_t *op = step->node->op;
  enum {
    OTHERS = BERTH_OP_UPDATES | BERTH_OP_FED | BERTH_OP_READS | BERTH_OP_ASKS
  };
  if (twins->of == NULL) return false;
  if ((step->traits & BERTH_OP_CONSTANT) != 0) {
    return is_small_constant(step->node);
  }
  return berth_step_is_pure(step) && (step->traits & OTHERS) == 0 &&
         op->flow == BERTH_FLOW_RUN && !op->is_function &&
         step->resource == NULL && step->input_count > 0 &&
         has_values_alone(step->node);
}

// ---- Comparing ----

uint32_t berth_twins_hash(const berth_step_t *step, const int32_t *slots) {
  const uint64_t odd = 0x9e3779b97f4a7c15ULL;  // Two to the 64th over phi.
  uint64_t hash = (uint64_t)(uintptr_t)step->node->op * odd;
  if ((step->traits & BERTH_OP_CONSTANT) != 0) {
    const berth_tensor_t *value = constant_of(step->node);
    size_t size = berth_dtype_size(value->dtype);
    if (!berth_tensor_is_compact(value)) size = value->size;
    if (size > HASHED_BYTES) size = HASHED_BYTES;
    hash = berth_hash(berth_tensor_elements(value), size, hash);
  }
  for (int i = 0; i < step->input_count; ++i) {
    hash = ((hash ^ hash >> 29) + (uint64_t)slots[i] + 1) * odd;
  }
  return (uint32_t)(hash >> 32);
}

// True when |a| is an attribute of |node| too, with that value.
// Those that begin with '_' are notes of who made the node.
static bool has_attr(const berth_node_t *node, const berth_attr_t *a) {
  if (a->name[0] == '_') return true;
  const berth_attr_value_t *b = berth_node_attr(node, a->name);
  return b != NULL && berth_attr_equal(&a->value, b);
}

static bool attrs_equal(const berth_node_t *a, const berth_node_t *b) {
  if (a->attrs == b->attrs && a->attr_count == b->attr_count) return true;
  for (int i = 0; i < a->attr_count; ++i) {
    if (!has_attr(b, &a->attrs[i])) return false;
  }
  for (int i = 0; i < b->attr_count; ++i) {
    if (!has_attr(a, &b->attrs[i])) return false;
  }
  return true;
}

static bool waits_for(const berth_node_t *node, int32_t before) {
  for (int i = 0; i < node->control_count; ++i) {
    if (node->controls[i] == before) return true;
  }
  return false;
}

static bool waits_equal(const berth_node_t *a, const berth_node_t *b) {
  for (int i = 0; i < a->control_count; ++i) {
    if (!waits_for(b, a->controls[i])) return false;
  }
  for (int i = 0; i < b->control_count; ++i) {
    if (!waits_for(a, b->controls[i])) return false;
  }
  return true;
}

// True when step |a| of |p|, which is at least as old, makes what |b| with inputs
// |slots| would.
static bool is_twin(const berth_program_t *p, const berth_step_t *a,
                    const berth_step_t *b, const int32_t *slots) {
  const berth_node_t *x = a->node, *y = b->node;
  return x->op == y->op && a->device == b->device && a->kernel == b->kernel &&
         x->input_count == y->input_count &&
         x->output_count == y->output_count &&
         memcmp(p->args + a->first_arg, slots,
                (size_t)x->input_count * sizeof(*slots)) == 0 &&
         memcmp(x->output_types, y->output_types,
                (size_t)x->output_count * sizeof(*x->output_types)) == 0 &&
         waits_equal(x, y) && attrs_equal(x, y);
}

// ---- The table ----

int32_t berth_twins_find(const berth_twins_t *twins,
                         const berth_program_t *program, uint32_t hash,
                         const berth_step_t *step, const int32_t *slots,
                         const int32_t *loop_of) {
  int32_t own = step->node->id;
  const berth_twin_entry_t *entries = twins->entries;
  for (int32_t n = twins->heads[hash & twins->mask]; n >= 0;
       n = entries[n].next) {
    if (entries[n].hash != hash) continue;
    int32_t s = entries[n].step;
    const berth_step_t *other =
        s >= 0 ? &program->steps[s] : &program->settled_steps[~s];
    if (loop_of != NULL && loop_of[n] != loop_of[own]) continue;
    if (is_twin(program, other, step, slots)) return n;
  }
  return -1;
}

bool berth_twins_note(berth_twins_t *twins, const berth_step_t *step,
                      int32_t of) {
  berth_twin_t *found = berth_grow(twins->found, twins->found_count,
                                   &twins->found_capacity, sizeof(*found));
  if (found == NULL) return false;
  twins->found = found;
  found[twins->found_count++] =
      (berth_twin_t){step->node->id, of, step->device};
  twins->of[step->node->id] = of;
  return true;
}

void berth_twins_add(berth_twins_t *twins, const berth_program_t *p,
                     uint32_t hash, const berth_node_t *node) {
  int32_t last = p->step_count - 1;
  bool is_step = last >= 0 && p->steps[last].node == node;
  int32_t *head = &twins->heads[hash & twins->mask];
  twins->entries[node->id] = (berth_twin_entry_t){
      hash, *head, is_step ? last : ~(p->settled_step_count - 1)};
  *head = node->id;
}

const berth_node_t *berth_twins_redirect(const berth_twins_t *twins,
                                         const berth_node_t *node,
                                         berth_arena_t *arena) {
  int first = 0;
  if (twins->of == NULL) return node;
  while (first < node->control_count && twins->of[node->controls[first]] < 0) {
    ++first;
  }
  if (first == node->control_count) return node;
  berth_node_t *made = berth_arena_memdup(arena, node, sizeof(*made));
  int32_t *controls = berth_arena_memdup(
      arena, node->controls, (size_t)node->control_count * sizeof(*controls));
  if (made == NULL || controls == NULL) return NULL;
  for (int i = first; i < node->control_count; ++i) {
    int32_t other = twins->of[controls[i]];
    if (other >= 0) controls[i] = other;
  }
  made->controls = controls;
  return made;
}
