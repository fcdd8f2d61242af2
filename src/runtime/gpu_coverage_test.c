// gpu_coverage_test.c - Every op and type that TensorFlow has for GPUs, and
// Berth for the CPU, has a GPU kernel.
//
// What TensorFlow has is in the schemas, which are compared with what was
// recorded of it (graph/schema_oracle). What is missing for a reason is in
// tests/data/golden/gpu_exceptions.txt; a line that is not needed fails, too.
#include <fnmatch.h>

#include "harness.h"

#include "graph/registration.h"
#include "kernel/kernel.h"
#include "runtime/backends.h"

#define EXCEPTIONS BERTH_SOURCE_DIR "/tests/data/golden/gpu_exceptions.txt"

enum { MAX_EXCEPTIONS = 64, MAX_ATTRS = 16 };

typedef struct exception {
  char op[32], type[32];  // Patterns.
  bool is_used;
} exception_t;

static exception_t exceptions[MAX_EXCEPTIONS];
static int exception_count = 0;

static void read_exceptions(void) {
  FILE *file = fopen(EXCEPTIONS, "r");
  char line[512];
  ASSERT_TRUE(file != NULL);
  while (fgets(line, sizeof(line), file) != NULL) {
    exception_t *exception = &exceptions[exception_count];
    if (line[0] == '#' || exception_count == MAX_EXCEPTIONS) continue;
    exception_count +=
        sscanf(line, "%31s %31s", exception->op, exception->type) == 2;
  }
  fclose(file);
}

// True when an exception is made for |node|: for one of its types, or "any".
static bool is_excused(const berth_node_t *node) {
  for (int i = 0; i < exception_count; ++i) {
    exception_t *exception = &exceptions[i];
    if (fnmatch(exception->op, node->op->name, 0) != 0) continue;
    bool fits = strcmp(exception->type, "any") == 0;
    for (int k = 0; k < node->attr_count; ++k) {
      if (node->attrs[k].value.kind != BERTH_ATTR_TYPE) continue;
      const char *type = berth_dtype_name(node->attrs[k].value.type);
      fits = fits || fnmatch(exception->type, type, 0) == 0;
    }
    if (fits) return exception->is_used = true;
  }
  return false;
}

// True when |arg| of |node| is in host memory whatever the registration says.
static bool is_for_host(const berth_node_t *node,
                        const berth_arg_schema_t *arg) {
  berth_dtype_t dtype = arg->type;
  if (arg->type_attr >= 0) {
    dtype = berth_node_attr_type(node, node->op->attrs[arg->type_attr].name,
                                 BERTH_FLOAT);
  }
  return arg->is_ref || !berth_dtype_is_plain(dtype);
}

// True when no argument is on the card: the CPU's kernel runs it then.
static bool is_all_host(const berth_node_t *node,
                        const berth_registration_t *registration) {
  const berth_op_schema_t *op = node->op;
  for (int i = 0; i < op->input_count; ++i) {
    bool is_host = (registration->host_inputs >> i & 1) != 0;
    if (!is_host && !is_for_host(node, &op->inputs[i])) return false;
  }
  for (int i = 0; i < op->output_count; ++i) {
    bool is_host = (registration->host_outputs >> i & 1) != 0;
    if (!is_host && !is_for_host(node, &op->outputs[i])) return false;
  }
  return true;
}

typedef struct counts {
  int checked, missing;
} counts_t;

static void check(const berth_node_t *node, counts_t *counts) {
  berth_str_t why = {0};
  const berth_registration_t *registration =
      berth_registration_find(node, BERTH_FOR_GPU);
  if (registration == NULL || is_all_host(node, registration)) return;
  if (berth_kernel_find(berth_backends_at(0), node, NULL) == NULL) return;
  ++counts->checked;
  if (berth_kernel_find(berth_backends_at(1), node, &why) == NULL &&
      !is_excused(node)) {
    ++counts->missing;
    berth_str_t types = {0};
    for (int i = 0; i < node->attr_count; ++i) {
      berth_str_printf(&types, " %s=%s", node->attrs[i].name,
                       berth_dtype_name(node->attrs[i].value.type));
    }
    HARNESS_FAIL("%s%s: %s", node->op->name, berth_str_get(&types),
                 berth_str_get(&why));
    berth_str_clear(&types);
  }
  berth_str_clear(&why);
}

// Checks |node| with every combination of types for its attributes from |at|
// on, which are the ones that are a type.
static void check_types(berth_node_t *node, berth_attr_t *attrs,
                        counts_t *counts) {
  int at[MAX_ATTRS] = {0};
  for (;;) {
    bool is_allowed = true;
    for (int i = 0; i < node->attr_count; ++i) {
      const berth_attr_schema_t *attr =
          &node->op->attrs[berth_schema_attr_index(node->op, attrs[i].name)];
      attrs[i].value.type = (berth_dtype_t)(at[i] + 1);
      is_allowed =
          is_allowed && (attr->allowed_types == 0 ||
                         (attr->allowed_types >> (at[i] + 1) & 1) != 0);
    }
    if (is_allowed) check(node, counts);
    int i = 0;
    while (i < node->attr_count && ++at[i] == BERTH_DTYPE_COUNT - 1)
      at[i++] = 0;
    if (i == node->attr_count) return;
  }
}

TEST(gpu, has_the_kernels_that_tensorflow_has) {
  counts_t counts = {0, 0};
  read_exceptions();
  ASSERT_OK(berth_backends_add_kernels(NULL), NULL);
  for (int i = 0; i < berth_schema_count(); ++i) {
    const berth_op_schema_t *op = berth_schema_at(i);
    if (!berth_kernel_exists("CPU", op->name)) continue;
    berth_attr_t attrs[MAX_ATTRS] = {0};
    berth_node_t node = {.op = op, .name = op->name, .attrs = attrs};
    for (int k = 0; k < op->attr_count; ++k) {
      if (op->attrs[k].kind != BERTH_ATTR_TYPE) continue;
      attrs[node.attr_count].name = op->attrs[k].name;
      attrs[node.attr_count++].value.kind = BERTH_ATTR_TYPE;
    }
    check_types(&node, attrs, &counts);
  }
  printf("%d combinations of op and types, %d missing\n", counts.checked,
         counts.missing);
  EXPECT_TRUE(counts.checked > 1000);
  for (int i = 0; i < exception_count; ++i) {
    if (exceptions[i].is_used) continue;
    HARNESS_FAIL("not needed: %s %s", exceptions[i].op, exceptions[i].type);
  }
}
