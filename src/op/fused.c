// fused.c - Products and convolutions with what follows them in one op.
#include "op/fused.h"

#include <string.h>

#include "base/str.h"
#include "op/value.h"

static bool is_text(const berth_attr_value_t *list, int64_t i,
                    const char *text) {
  const berth_attr_text_t *s = &list->s_list[i];
  return s->size == strlen(text) && memcmp(s->text, text, s->size) == 0;
}

// Finds the function that is last; false: there is none of that name here.
static bool find_function(const berth_attr_value_t *list, bool is_product,
                          berth_fused_tail_t *out) {
  static const struct {
    const char *name;
    berth_unary_op_t function;
    bool of_product_alone;
  } functions[] = {{"Relu", BERTH_UNARY_RELU, false},
                   {"Relu6", BERTH_UNARY_RELU6, false},
                   {"Elu", BERTH_UNARY_ELU, false},
                   {"LeakyRelu", BERTH_UNARY_LEAKY_RELU, false},
                   {"Tanh", BERTH_UNARY_TANH, true},
                   {"Sigmoid", BERTH_UNARY_SIGMOID, true}};
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i) {
    if (!is_text(list, 1, functions[i].name)) continue;
    out->function = functions[i].function;
    out->is_function = true;
    return is_product || !functions[i].of_product_alone;
  }
  return false;
}

static berth_code_t fail_list(const berth_attr_value_t *list,
                              berth_error_t *err) {
  berth_str_t str = {0};
  for (int64_t i = 0; i < list->count; ++i) {
    berth_str_printf(&str, "%s%.*s", i > 0 ? "," : "",
                     (int)list->s_list[i].size, list->s_list[i].text);
  }
  (void)berth_error_set(err, BERTH_UNIMPLEMENTED,
                        "Fusion is not implemented: [%s]", berth_str_get(&str));
  berth_str_clear(&str);
  return BERTH_UNIMPLEMENTED;
}

berth_code_t berth_op_fused_tail(const berth_case_t *op,
                                 berth_fused_tail_t *out, berth_error_t *err) {
  const berth_attr_value_t *list = berth_node_attr(op->node, "fused_ops");
  const char *name = op->node->op->name;
  bool is_product = strcmp(name, "_FusedMatMul") == 0;
  bool is_plain = strcmp(name, "_FusedConv2D") == 0;
  const char *title = is_product                   ? "MatMul"
                      : is_plain                   ? "Conv2D"
                      : strstr(name, "3D") != NULL ? "Conv3D"
                                                   : "DepthwiseConv2D";
  *out = (berth_fused_tail_t){
      .slope = berth_node_attr_float(op->node, "leakyrelu_alpha", 0.2f),
      .epsilon = berth_node_attr_float(op->node, "epsilon", 1e-4f)};
  if (is_plain && op->inputs[0].dtype == BERTH_HALF) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Op does not support N5Eigen4halfE inputs");
  }
  if (list == NULL || list->count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Fused %s must have at least one fused op.", title);
  }
  out->is_norm = is_plain && is_text(list, 0, "FusedBatchNorm");
  if (list->count > 2 || !(out->is_norm || is_text(list, 0, "BiasAdd"))) {
    return fail_list(list, err);
  }
  if (list->count == 2 && !find_function(list, is_product, out)) {
    return fail_list(list, err);
  }
  int extra = op->input_count - 2;
  if (!out->is_norm && extra != 1) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        is_product || is_plain
            ? "Fused %s with BiasAdd must have one extra argument: bias or 4 "
              "extra arguments: bias, side_input, conv_input_scale and "
              "side_input_scale"
            : "Fused %s must have one extra argument: bias.",
        title);
  }
  if (out->is_norm && extra != 4) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Fused Conv2D with FusedBatchNorm must have four extra "
        "arguments: scale, offset, mean, variance.");
  }
  return BERTH_OK;
}

berth_code_t berth_op_fused_check(const berth_case_t *op,
                                  const berth_fused_tail_t *tail,
                                  int64_t channels, berth_error_t *err) {
  static const char *const names[] = {"scale", "offset", "estimated_mean",
                                      "estimated_variance"};
  char text[BERTH_DIMS_TEXT];
  for (int i = 2; i < op->input_count; ++i) {
    const berth_case_input_t *input = &op->inputs[i];
    const char *name = tail->is_norm ? names[i - 2] : "bias";
    if (input->rank != 1) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "%s must be 1-dimensional%s", name,
                             berth_input_text(input, text));
    }
    if (input->count != channels) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "%s must have %lld elements, one for each "
                             "channel, but has %lld",
                             name, (long long)channels,
                             (long long)input->count);
    }
  }
  return BERTH_OK;
}
