// train.c - Ops by which optimisers update variables.
#include "op/train.h"

#include <string.h>

#include "base/assert.h"
#include "graph/shape_fn.h"
#include "op/resource.h"
#include "op/value.h"

// ---- Which they are ----

// The ops of one optimiser: what follows "Apply" in their names, the function,
// and another one, where the attribute |flag| is as it is not by default.
typedef struct family {
  const char *name;
  berth_train_function_t function;
  const char *flag;
  bool flag_default;
  berth_train_function_t flagged;
} family_t;

static const family_t families[] = {
    {"GradientDescent", BERTH_TRAIN_GRADIENT_DESCENT, NULL, false, 0},
    {"ProximalGradientDescent", BERTH_TRAIN_PROXIMAL_DESCENT, NULL, false, 0},
    {"Momentum", BERTH_TRAIN_MOMENTUM, "use_nesterov", false,
     BERTH_TRAIN_MOMENTUM_NESTEROV},
    {"KerasMomentum", BERTH_TRAIN_KERAS_MOMENTUM, "use_nesterov", false,
     BERTH_TRAIN_KERAS_NESTEROV},
    {"Adagrad", BERTH_TRAIN_ADAGRAD, "update_slots", true,
     BERTH_TRAIN_ADAGRAD_FROZEN},
    {"AdagradV2", BERTH_TRAIN_ADAGRAD_V2, "update_slots", true,
     BERTH_TRAIN_ADAGRAD_V2_FROZEN},
    {"AdagradDA", BERTH_TRAIN_ADAGRAD_DA, NULL, false, 0},
    {"ProximalAdagrad", BERTH_TRAIN_PROXIMAL_ADAGRAD, NULL, false, 0},
    {"Adadelta", BERTH_TRAIN_ADADELTA, NULL, false, 0},
    {"RMSProp", BERTH_TRAIN_RMS_PROP, NULL, false, 0},
    {"CenteredRMSProp", BERTH_TRAIN_CENTERED_RMS_PROP, NULL, false, 0},
    {"Adam", BERTH_TRAIN_ADAM, "use_nesterov", false,
     BERTH_TRAIN_ADAM_NESTEROV},
    {"AdamWithAmsgrad", BERTH_TRAIN_AMSGRAD, NULL, false, 0},
    {"AdaMax", BERTH_TRAIN_ADA_MAX, NULL, false, 0},
    {"AddSign", BERTH_TRAIN_ADD_SIGN, NULL, false, 0},
    {"PowerSign", BERTH_TRAIN_POWER_SIGN, NULL, false, 0},
    {"Ftrl", BERTH_TRAIN_FTRL, "multiply_linear_by_lr", false,
     BERTH_TRAIN_FTRL_LINEAR},
    {"FtrlV2", BERTH_TRAIN_FTRL_V2, "multiply_linear_by_lr", false,
     BERTH_TRAIN_FTRL_V2_LINEAR},
};

// What follows "Apply" in the name of |node|'s op.
static const char *family_name(const berth_node_t *node) {
  const char *at = strstr(node->op->name, "Apply");
  return at == NULL ? "" : at + strlen("Apply");
}

static bool is_family(const berth_node_t *node, const char *name) {
  return strcmp(family_name(node), name) == 0;
}

static bool is_sparse(const berth_node_t *node) {
  return strstr(node->op->name, "Sparse") != NULL;
}

// Some take other steps by rows.
static berth_train_function_t function_by_rows(berth_train_function_t whole) {
  switch (whole) {
    case BERTH_TRAIN_RMS_PROP:
      return BERTH_TRAIN_RMS_PROP_ROWS;
    case BERTH_TRAIN_CENTERED_RMS_PROP:
      return BERTH_TRAIN_CENTERED_RMS_PROP_ROWS;
    default:
      return whole;
  }
}

static berth_code_t find_function(const berth_node_t *node,
                                  berth_train_function_t *out_function,
                                  berth_error_t *err) {
  for (size_t i = 0; i < sizeof(families) / sizeof(*families); ++i) {
    const family_t *family = &families[i];
    if (!is_family(node, family->name)) continue;
    bool is_flagged =
        family->flag != NULL &&
        berth_node_attr_bool(node, family->flag, family->flag_default) !=
            family->flag_default;
    *out_function = is_flagged ? family->flagged : family->function;
    if (is_sparse(node)) *out_function = function_by_rows(*out_function);
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INTERNAL, "%s is no update of an optimiser",
                         node->op->name);
}

// ---- Scalars ----

typedef struct scalar {
  const char *label;
  const char *wrong;  // What is said between the label and the shape.
  berth_train_sign_t sign;
} scalar_t;

#define NOT_A_SCALAR " is not a scalar: "

static bool is_ftrl(const berth_node_t *node) {
  return strncmp(family_name(node), "Ftrl", 4) == 0;
}

// Of optimisers that insist on signs.
static scalar_t strict_scalar(const berth_node_t *node, const char *name,
                              const char *label) {
  if (strcmp(name, "lr") == 0 && is_ftrl(node)) {
    bool may_be_zero =
        berth_node_attr_bool(node, "multiply_linear_by_lr", false);
    return (scalar_t){
        label,
        " is not a positive scalar (or zero if "
        "multiply_linear_by_lr is set): ",
        may_be_zero ? BERTH_TRAIN_NOT_NEGATIVE : BERTH_TRAIN_POSITIVE};
  }
  if (strcmp(name, "lr") == 0) {
    return (scalar_t){label,
                      " is not a positive scalar: ", BERTH_TRAIN_POSITIVE};
  }
  if (strcmp(name, "l1") == 0 || strncmp(name, "l2", 2) == 0) {
    return (scalar_t){
        label, " is not a non-negative scalar: ", BERTH_TRAIN_NOT_NEGATIVE};
  }
  if (strcmp(name, "lr_power") == 0) {
    return (scalar_t){
        label, " is not a non-positive scalar: ", BERTH_TRAIN_NOT_POSITIVE};
  }
  return (scalar_t){label, NOT_A_SCALAR, BERTH_TRAIN_ANY};
}

// True for those whose lr is followed by a space.
static bool spaces_lr(const berth_node_t *node) {
  if (is_sparse(node)) {
    return is_family(node, "Momentum") || is_family(node, "KerasMomentum");
  }
  return is_family(node, "RMSProp") || is_family(node, "CenteredRMSProp") ||
         is_family(node, "Adam") || is_family(node, "AdamWithAmsgrad") ||
         is_family(node, "AdaMax");
}

static const char *label_of(const berth_node_t *node, const char *name) {
  if (strcmp(name, "l1") == 0) return "l1 regularization strength";
  if (strcmp(name, "l2") == 0) return "l2 regularization strength";
  if (strcmp(name, "l2_shrinkage") == 0) {
    return "l2 shrinkage regularization strength";
  }
  if (strcmp(name, "alpha") == 0 && is_sparse(node)) return "lr";
  return name;
}

// What is said and checked of the scalar |name|.
static scalar_t scalar_of(const berth_node_t *node, const char *name) {
  const char *label = label_of(node, name);
  if (is_family(node, "ProximalAdagrad") ||
      (is_ftrl(node) && is_sparse(node))) {
    return strict_scalar(node, name, label);
  }
  if (strcmp(name, "lr") == 0 && spaces_lr(node)) {
    return (scalar_t){label, " is not a scalar : ", BERTH_TRAIN_ANY};
  }
  if (strcmp(name, "lr_power") == 0) {
    return (scalar_t){label, " is not a scalar", BERTH_TRAIN_ANY};
  }
  return (scalar_t){label, NOT_A_SCALAR, BERTH_TRAIN_ANY};
}

static berth_code_t fail_scalar(const berth_node_t *node, const char *name,
                                const char *shape, berth_error_t *err) {
  scalar_t scalar = scalar_of(node, name);
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s%s%s", scalar.label,
                         scalar.wrong, shape);
}

berth_code_t berth_train_check_value(const berth_train_t *train, int index,
                                     double value, berth_error_t *err) {
  bool fits = true;
  switch (train->signs[index]) {
    case BERTH_TRAIN_ANY:
      break;
    case BERTH_TRAIN_POSITIVE:
      fits = value > 0;
      break;
    case BERTH_TRAIN_NOT_NEGATIVE:
      fits = value >= 0;
      break;
    case BERTH_TRAIN_NOT_POSITIVE:
      fits = value <= 0;
      break;
  }
  if (fits) return BERTH_OK;
  const berth_op_schema_t *schema = train->node->op;
  return fail_scalar(train->node, schema->inputs[train->scalars[index]].name,
                     "[]", err);
}

// ---- Arguments ----

static berth_code_t add_scalar(const berth_case_t *op, int32_t input,
                               const char *name, berth_train_t *train,
                               berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[input].rank != 0) {
    return fail_scalar(op->node, name,
                       berth_input_text(&op->inputs[input], text), err);
  }
  BERTH_ASSERT(train->scalar_count < BERTH_TRAIN_SCALARS);
  train->signs[train->scalar_count] = scalar_of(op->node, name).sign;
  train->scalars[train->scalar_count++] = input;
  return BERTH_OK;
}

static berth_code_t add_indices(const berth_case_t *op, int32_t input,
                                berth_train_t *train, berth_error_t *err) {
  const berth_case_input_t *indices = &op->inputs[input];
  if (indices->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "indices must be one-dimensional");
  }
  train->indices = input;
  train->index_type = indices->dtype;
  train->index_count = indices->count;
  return BERTH_OK;
}

static berth_code_t add_gradient(berth_case_t *op, int32_t input,
                                 berth_train_t *train, berth_error_t *err) {
  const berth_case_input_t *grad = &op->inputs[input];
  train->grad = input;
  train->dtype = grad->dtype;
  const int64_t *dims = berth_arena_memdup(
      op->arena, grad->dims, (size_t)grad->rank * sizeof(*grad->dims));
  if (grad->rank > 0 && dims == NULL) {
    return berth_error_no_memory(err, "a plan");
  }
  train->grad_dims = (berth_dims_t){grad->rank, dims};
  return BERTH_OK;
}

static bool is_gradient(const char *name) {
  return strcmp(name, "grad") == 0 || strcmp(name, "delta") == 0;
}

berth_code_t berth_op_train(berth_case_t *op, berth_train_t *out_train,
                            berth_error_t *err) {
  const berth_op_schema_t *schema = op->node->op;
  *out_train = (berth_train_t){.node = op->node,
                               .is_ref = op->output_count > 0,
                               .is_sparse = is_sparse(op->node),
                               .indices = -1};
  BERTH_TRY(find_function(op->node, &out_train->function, err));
  for (int32_t i = 0; i < op->input_count; ++i) {
    const char *name = schema->inputs[i].name;
    bool is_variable =
        schema->inputs[i].is_ref || schema->inputs[i].type == BERTH_RESOURCE;
    if (is_variable) {
      ++out_train->variable_count;
    } else if (is_gradient(name)) {
      BERTH_TRY(add_gradient(op, i, out_train, err));
    } else if (strcmp(name, "indices") == 0) {
      BERTH_TRY(add_indices(op, i, out_train, err));
    } else {
      BERTH_TRY(add_scalar(op, i, name, out_train, err));
    }
  }
  if (out_train->is_ref) berth_case_output(op, 0, BERTH_SCALAR);
  return BERTH_OK;
}

// ---- Variables ----

static berth_code_t fail_shapes(const char *name, berth_dims_t variable,
                                berth_dims_t other, berth_error_t *err) {
  char texts[2][BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "var and %s do not have the same shape%s %s", name,
                         berth_dims_text(variable, texts[0]),
                         berth_dims_text(other, texts[1]));
}

berth_code_t berth_train_check_slot(const berth_train_t *train, int index,
                                    berth_dims_t variable, berth_dims_t slot,
                                    berth_error_t *err) {
  if (berth_dims_equal(variable, slot)) return BERTH_OK;
  const char *name = train->node->op->inputs[index].name;
  if (is_family(train->node, "AdagradDA")) name = "accum";
  if (is_family(train->node, "Adadelta") && train->is_sparse && index == 1) {
    name = "accum_grad";
  }
  return fail_shapes(name, variable, slot, err);
}

// The gradient of some rows has the dimensions of a row, and as many of them as
// there are indices.
static berth_code_t check_rows(const berth_train_t *train,
                               berth_dims_t variable, berth_error_t *err) {
  berth_dims_t grad = train->grad_dims;
  if (variable.rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "var must be at least 1 dimensional");
  }
  for (int32_t i = 1; i < variable.rank; ++i) {
    if (i < grad.rank && grad.dims[i] == variable.dims[i]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "var and grad must match in dimension %d", (int)i);
  }
  if (grad.rank > variable.rank)
    return fail_shapes("grad", variable, grad, err);
  if (grad.rank < 1 || grad.dims[0] != train->index_count) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "grad must be the same size as indices in the first dimension.");
  }
  return BERTH_OK;
}

berth_code_t berth_train_check_gradient(const berth_train_t *train,
                                        berth_dims_t variable,
                                        berth_error_t *err) {
  if (train->is_sparse) return check_rows(train, variable, err);
  if (berth_dims_equal(variable, train->grad_dims)) return BERTH_OK;
  return fail_shapes(train->node->op->inputs[train->grad].name, variable,
                     train->grad_dims, err);
}

berth_code_t berth_train_fail_index(const berth_train_t *train, int64_t at,
                                    int64_t index, int64_t rows,
                                    berth_error_t *err) {
  if (is_family(train->node, "KerasMomentum")) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "indices[%lld] = %lld is not in [0, %lld)",
                           (long long)at, (long long)index, (long long)rows);
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Index %lld at offset %lld in indices is out of range",
                         (long long)index, (long long)at);
}

// ---- Shapes of a graph ----

// Merges the shape of the variable at input |index| into |*shape|.
static berth_code_t merge_variable(berth_shape_context_t *c, int index,
                                   berth_dims_t *shape, berth_error_t *err) {
  berth_dims_t own = berth_shape_in(c, index);
  if (c->node->op->inputs[index].type == BERTH_RESOURCE) {
    own = berth_shape_of_handle(c, index);
  }
  return berth_shape_merge(c, *shape, own, shape, err);
}

// Checks the gradient at input |index|, and indices where there are any, behind
// it. Those of handles are looked at by few ops.
static berth_code_t check_gradient(berth_shape_context_t *c, int index,
                                   bool is_ref, berth_dims_t *shape,
                                   berth_error_t *err) {
  berth_dims_t grad = berth_shape_in(c, index);
  if (is_sparse(c->node)) {
    berth_dims_t indices = berth_shape_in(c, index + 1);
    BERTH_TRY(berth_shape_with_rank(c, indices, 1, &indices, err));
    if (!is_ref) return BERTH_OK;
    int64_t rows = -1;
    BERTH_TRY(berth_shape_merge_dims(berth_shape_dim(indices, 0),
                                     berth_shape_dim(grad, 0), &rows, err));
    if (grad.rank < 1) return BERTH_OK;
    BERTH_TRY(berth_shape_replace(c, grad, 0, -1, &grad, err));
    return berth_shape_merge(c, *shape, grad, shape, err);
  }
  if (!is_ref && !is_family(c->node, "GradientDescent") &&
      !is_family(c->node, "ProximalAdagrad")) {
    return BERTH_OK;
  }
  return berth_shape_merge(c, *shape, grad, shape, err);
}

// True for the one scalar that TensorFlow does not look at yet.
static bool is_forgotten(const berth_node_t *node, const char *name) {
  return is_family(node, "FtrlV2") && strcmp(name, "lr_power") == 0;
}

BERTH_INFER(train) {
  const berth_op_schema_t *schema = c->node->op;
  berth_dims_t shape = {-1, NULL};
  bool is_ref = schema->inputs[0].is_ref;
  int gradient = 0;
  for (int i = 0; i < schema->input_count; ++i) {
    const char *name = schema->inputs[i].name;
    if (schema->inputs[i].is_ref || schema->inputs[i].type == BERTH_RESOURCE) {
      BERTH_TRY(merge_variable(c, i, &shape, err));
    } else if (is_gradient(name)) {
      gradient = i;
    } else if (strcmp(name, "indices") != 0 && !is_forgotten(c->node, name)) {
      BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 0, NULL, err));
    }
  }
  BERTH_TRY(check_gradient(c, gradient, is_ref, &shape, err));
  if (is_ref) c->outputs[0] = shape;
  return BERTH_OK;
}
