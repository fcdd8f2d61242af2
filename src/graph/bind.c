// bind.c - Which input belongs to which argument, and what follows from it.
//
// Building infers: the type of an input settles its type attribute, the length
// of a list its count, and all that contradicts is reported at once. Reading a
// GraphDef compares: the attributes say how many inputs of which types there
// must be.
#include <string.h>

#include "graph/draft.h"
#include "graph/schema.h"

// What went wrong while binding; TensorFlow reports all of it together.
typedef struct complaints {
  berth_str_t text;  // One line each.
  int count;
  bool is_short;  // Of memory.
} complaints_t;

static void complain(complaints_t *complaints, const char *format, ...)
    BERTH_PRINTF(2, 3);

static void complain(complaints_t *complaints, const char *format, ...) {
  if (complaints->count++ > 0) berth_str_putc(&complaints->text, '\n');
  va_list args;
  va_start(args, format);
  berth_str_vprintf(&complaints->text, format, args);
  va_end(args);
}

static berth_code_t report(const berth_draft_t *draft, complaints_t *complaints,
                           berth_error_t *err) {
  if (complaints->is_short) {
    berth_str_clear(&complaints->text);
    return berth_error_no_memory(err, "the inputs of a node");
  }
  if (complaints->count == 0) return BERTH_OK;
  berth_str_t op = {0};
  berth_schema_print(draft->node.op, &op);
  const char *text = berth_str_get(&complaints->text);
  if (complaints->count == 1) {
    berth_error_set(err, BERTH_INVALID_ARGUMENT,
                    "%s while building NodeDef '%s' using %s", text,
                    draft->node.name, berth_str_get(&op));
  } else {
    berth_error_set(err, BERTH_INVALID_ARGUMENT,
                    "%d errors while building NodeDef '%s' using %s:\n%s",
                    complaints->count, draft->node.name, berth_str_get(&op),
                    text);
  }
  berth_str_clear(&op);
  berth_str_clear(&complaints->text);
  return BERTH_INVALID_ARGUMENT;
}

static berth_dtype_t input_type(const berth_draft_t *draft, int index) {
  return berth_node_input_type(draft->graph, &draft->node, index);
}

// ---- Attributes ----

const berth_attr_value_t *berth_draft_attr(const berth_draft_t *draft,
                                           int index) {
  if (draft->placed[index] >= 0) {
    return &draft->attrs[draft->placed[index]].value;
  }
  return draft->node.op->attrs[index].default_value;
}

void berth_draft_infer(berth_draft_t *draft, int index,
                       const berth_attr_value_t *value) {
  int32_t place = draft->node.attr_count++;
  draft->attrs[place] =
      (berth_attr_t){draft->node.op->attrs[index].name, *value};
  draft->placed[index] = (int16_t)place;
}

berth_code_t berth_draft_place_attrs(berth_draft_t *draft, berth_error_t *err) {
  const berth_op_schema_t *schema = draft->node.op;
  const berth_node_spec_t *spec = draft->spec;
  size_t most = (size_t)spec->attr_count + (size_t)schema->attr_count;
  draft->attrs = draft->inline_attrs;
  if (most > BERTH_DRAFT_ATTRS) {
    draft->attrs =
        berth_arena_calloc(&draft->scratch, most, sizeof(berth_attr_t));
    if (draft->attrs == NULL) return berth_error_no_memory(err, "attributes");
  }
  for (int i = 0; i < schema->attr_count; ++i) draft->placed[i] = -1;
  for (int32_t i = 0; i < spec->attr_count; ++i) {
    draft->attrs[i] = spec->attrs[i];
    int index = berth_schema_attr_index(schema, spec->attrs[i].name);
    if (index < 0) continue;
    draft->placed[index] = (int16_t)i;
    draft->attrs[i].name = schema->attrs[index].name;
  }
  draft->node.attr_count = spec->attr_count;
  draft->node.attrs = draft->attrs;
  return BERTH_OK;
}

// Gives attribute |index| the value that follows from an input, or complains
// when it has another.
static void settle(berth_draft_t *draft, int index, bool *settled,
                   const berth_attr_value_t *value, complaints_t *complaints) {
  if (draft->placed[index] < 0) {
    berth_draft_infer(draft, index, value);
    settled[index] = true;
    return;
  }
  const berth_attr_value_t *old = &draft->attrs[draft->placed[index]].value;
  if (old->kind != value->kind || berth_attr_equal(old, value)) return;
  berth_str_t a = {0}, b = {0};
  // Inputs come before the attributes given: what they say is named first.
  bool is_first = settled[index];
  berth_attr_print(is_first ? old : value, &a);
  berth_attr_print(is_first ? value : old, &b);
  complain(complaints, "Inconsistent values for attr '%s' %s vs. %s",
           draft->node.op->attrs[index].name, berth_str_get(&a),
           berth_str_get(&b));
  berth_str_clear(&a);
  berth_str_clear(&b);
}

// ---- Building ----

static bool is_list(const berth_arg_schema_t *arg) {
  return arg->number_attr >= 0 || arg->list_attr >= 0;
}

// Returns how many inputs argument |index| takes by the attributes; -1 when
// they do not say.
static int64_t count_by_attrs(const berth_draft_t *draft,
                              const berth_arg_schema_t *arg) {
  if (!is_list(arg)) return 1;
  int index = arg->number_attr >= 0 ? arg->number_attr : arg->list_attr;
  const berth_attr_value_t *value = berth_draft_attr(draft, index);
  if (value == NULL) return -1;
  if (arg->list_attr >= 0) return value->count;
  return value->kind == BERTH_ATTR_INT ? value->i : -1;
}

// Returns how many of the |left| inputs argument |index| takes, complaining
// when that is not as the op wants it.
static int32_t count_of_arg(const berth_draft_t *draft, int index, int32_t left,
                            complaints_t *complaints) {
  const berth_node_spec_t *spec = draft->spec;
  const berth_arg_schema_t *arg = &draft->node.op->inputs[index];
  if (spec->arg_counts == NULL) {
    int64_t count = count_by_attrs(draft, arg);
    // Without counts the last argument takes what is left.
    if (count < 0) count = left - (draft->node.op->input_count - 1 - index);
    return count < 0 ? 0 : (int32_t)(count < left ? count : left);
  }
  if (spec->arg_is_list != NULL && spec->arg_is_list[index] != is_list(arg)) {
    complain(complaints,
             is_list(arg) ? "Single tensor passed to '%s', expected list"
                          : "List provided to input '%s' when single Tensor "
                            "expected",
             arg->name);
  }
  return spec->arg_counts[index] < left ? spec->arg_counts[index] : left;
}

static void bind_type_list(berth_draft_t *draft, const berth_arg_schema_t *arg,
                           bool *settled, int32_t first, int32_t count,
                           complaints_t *complaints) {
  berth_dtype_t *types = berth_arena_calloc(
      &draft->scratch, (size_t)(count > 0 ? count : 1), sizeof(*types));
  if (types == NULL) {
    complaints->is_short = true;
    return;
  }
  for (int32_t i = 0; i < count; ++i) {
    types[i] = berth_dtype_base(input_type(draft, first + i));
  }
  berth_attr_value_t value = {
      .kind = (berth_attr_kind_t)(BERTH_ATTR_LIST + BERTH_ATTR_TYPE),
      .count = count,
      .type_list = types};
  settle(draft, arg->list_attr, settled, &value, complaints);
}

// Binds inputs that must all be of one type: a fixed one, or that of an
// attribute, which the first settles.
static void bind_one_type(berth_draft_t *draft, const berth_arg_schema_t *arg,
                          bool *settled, int32_t first, int32_t count,
                          complaints_t *complaints) {
  berth_dtype_t expected = arg->type;
  for (int32_t i = 0; i < count; ++i) {
    berth_dtype_t type = input_type(draft, first + i);
    berth_dtype_t base = berth_dtype_base(type);
    if (expected == BERTH_INVALID) expected = base;
    if (base != expected) {
      complain(complaints, "Input '%s' passed %s expected %s", arg->name,
               berth_dtype_name(type), berth_dtype_name(expected));
    } else if (arg->is_ref && !berth_dtype_is_ref(type)) {
      complain(complaints, "Input '%s' passed %s expected ref type", arg->name,
               berth_dtype_name(type));
    }
  }
  if (arg->type_attr >= 0 && count > 0) {
    berth_attr_value_t value = {.kind = BERTH_ATTR_TYPE, .type = expected};
    settle(draft, arg->type_attr, settled, &value, complaints);
  }
}

static void bind_arg(berth_draft_t *draft, const berth_arg_schema_t *arg,
                     bool *settled, int32_t first, int32_t count,
                     complaints_t *complaints) {
  if (arg->list_attr >= 0) {
    bind_type_list(draft, arg, settled, first, count, complaints);
    return;
  }
  if (arg->number_attr >= 0) {
    berth_attr_value_t value = {.kind = BERTH_ATTR_INT, .i = count};
    settle(draft, arg->number_attr, settled, &value, complaints);
  }
  bind_one_type(draft, arg, settled, first, count, complaints);
}

berth_code_t berth_bind_inputs(berth_draft_t *draft, berth_error_t *err) {
  const berth_op_schema_t *schema = draft->node.op;
  const berth_node_spec_t *spec = draft->spec;
  complaints_t complaints = {0};
  bool settled[BERTH_MAX_SCHEMA_ATTRS] = {false};
  int given = schema->input_count;
  if (spec->arg_counts != NULL && spec->arg_count > 0) given = spec->arg_count;
  if (spec->arg_counts == NULL && spec->input_count == 0) given = 0;
  int32_t first = 0;
  int index = 0;
  for (; index < schema->input_count && index < given; ++index) {
    int32_t left = spec->input_count - first;
    const berth_arg_schema_t *arg = &schema->inputs[index];
    if (left == 0 && !is_list(arg)) break;
    int32_t count = count_of_arg(draft, index, left, &complaints);
    bind_arg(draft, arg, settled, first, count, &complaints);
    first += count;
  }
  // Lists that nothing was given for are empty.
  while (index < schema->input_count && spec->arg_counts == NULL &&
         is_list(&schema->inputs[index])) {
    bind_arg(draft, &schema->inputs[index++], settled, first, 0, &complaints);
  }
  if (index < schema->input_count) {
    complain(&complaints, "%d inputs specified of %d inputs in Op", index,
             schema->input_count);
  } else if (first < spec->input_count || given > schema->input_count) {
    complain(&complaints, "More Input() calls than the %d input_args",
             schema->input_count);
  }
  return report(draft, &complaints, err);
}

// ---- Reading ----

// Returns the type of value |index| of |arg| by the attributes.
static berth_dtype_t expected_type(const berth_draft_t *draft,
                                   const berth_arg_schema_t *arg,
                                   int32_t index) {
  berth_dtype_t type = arg->type;
  if (arg->type_attr >= 0) {
    type = berth_draft_attr(draft, arg->type_attr)->type;
  } else if (arg->list_attr >= 0) {
    type = berth_draft_attr(draft, arg->list_attr)->type_list[index];
  }
  return arg->is_ref ? berth_dtype_ref(type) : type;
}

static berth_code_t count_error(const berth_draft_t *draft,
                                berth_error_t *err) {
  enum { MAX_LISTED = 4096 };
  const berth_op_schema_t *schema = draft->node.op;
  berth_str_t types = {0}, op = {0};
  for (int i = 0; i < schema->input_count; ++i) {
    int64_t count = count_by_attrs(draft, &schema->inputs[i]);
    // A count is a number that anybody may write.
    for (int32_t j = 0; j < count && types.size < MAX_LISTED; ++j) {
      berth_str_printf(
          &types, "%s%s", types.size > 0 ? ", " : "",
          berth_dtype_name(expected_type(draft, &schema->inputs[i], j)));
    }
  }
  berth_schema_print(schema, &op);
  berth_error_set(err, BERTH_INVALID_ARGUMENT,
                  "NodeDef expected inputs '%s' do not match %d inputs "
                  "specified; %s; NodeDef: {{node %s}}",
                  berth_str_get(&types), draft->spec->input_count,
                  berth_str_get(&op), draft->node.name);
  berth_str_clear(&types);
  berth_str_clear(&op);
  return BERTH_INVALID_ARGUMENT;
}

static berth_code_t check_input(const berth_draft_t *draft, int32_t index,
                                berth_dtype_t expected, berth_error_t *err) {
  berth_dtype_t type = input_type(draft, index);
  if (type == expected || berth_dtype_base(type) == expected) return BERTH_OK;
  berth_out_t from = draft->spec->inputs[index];
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Input %d of node %s was passed %s from %s:%d incompatible with expected "
      "%s.",
      index, draft->node.name, berth_dtype_name(type),
      berth_graph_get(draft->graph, from.node)->name, from.index,
      berth_dtype_name(expected));
}

berth_code_t berth_check_inputs(const berth_draft_t *draft,
                                berth_error_t *err) {
  const berth_op_schema_t *schema = draft->node.op;
  int64_t total = 0;
  for (int i = 0; i < schema->input_count; ++i) {
    total += count_by_attrs(draft, &schema->inputs[i]);
    if (total > draft->spec->input_count) break;
  }
  if (total != draft->spec->input_count) return count_error(draft, err);
  int32_t index = 0;
  for (int i = 0; i < schema->input_count; ++i) {
    const berth_arg_schema_t *arg = &schema->inputs[i];
    int64_t count = count_by_attrs(draft, arg);
    for (int32_t j = 0; j < count; ++j, ++index) {
      BERTH_TRY(check_input(draft, index, expected_type(draft, arg, j), err));
    }
  }
  return BERTH_OK;
}

// ---- Outputs ----

berth_code_t berth_draft_outputs(berth_draft_t *draft, berth_error_t *err) {
  // A few bytes of a GraphDef must not ask for gigabytes of shapes.
  enum { MAX_OUTPUTS = 1 << 20 };
  const berth_op_schema_t *schema = draft->node.op;
  int64_t total = 0;
  for (int i = 0; i < schema->output_count; ++i) {
    int64_t count = count_by_attrs(draft, &schema->outputs[i]);
    // Either may be all that an attribute can say; the sum is not.
    total = count > MAX_OUTPUTS ? count : total + count;
    if (total > MAX_OUTPUTS) {
      return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                             "Node '%s' has %lld outputs; the limit is %d",
                             draft->node.name, (long long)total, MAX_OUTPUTS);
    }
  }
  draft->output_types = draft->inline_types;
  draft->output_shapes = draft->inline_shapes;
  if (total > BERTH_DRAFT_OUTPUTS) {
    draft->output_types = berth_arena_calloc(&draft->scratch, (size_t)total,
                                             sizeof(berth_dtype_t));
    draft->output_shapes = berth_arena_calloc(&draft->scratch, (size_t)total,
                                              sizeof(berth_dims_t));
    if (draft->output_types == NULL || draft->output_shapes == NULL) {
      return berth_error_no_memory(err, "outputs");
    }
  }
  int32_t index = 0;
  for (int i = 0; i < schema->output_count; ++i) {
    int64_t count = count_by_attrs(draft, &schema->outputs[i]);
    for (int32_t j = 0; j < count; ++j, ++index) {
      draft->output_types[index] = expected_type(draft, &schema->outputs[i], j);
      draft->output_shapes[index] = (berth_dims_t){-1, NULL};
    }
  }
  draft->node.output_count = index;
  draft->node.output_types = draft->output_types;
  draft->node.output_shapes = draft->output_shapes;
  return BERTH_OK;
}
