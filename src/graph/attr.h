// attr.h - Values of attributes.
//
// A value is a kind and a small union; lists and texts point into memory that
// whoever holds the value owns (the graph's arena, or constant data).
//
// Immutable after creation.
#ifndef BERTH_GRAPH_ATTR_H_
#define BERTH_GRAPH_ATTR_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "berth/tensor.h"

typedef enum berth_attr_kind {
  BERTH_ATTR_NONE = 0,  // No value at all: an AttrValue without a field set.
  BERTH_ATTR_STRING,
  BERTH_ATTR_INT,
  BERTH_ATTR_FLOAT,
  BERTH_ATTR_BOOL,
  BERTH_ATTR_TYPE,
  BERTH_ATTR_SHAPE,
  BERTH_ATTR_TENSOR,
  BERTH_ATTR_FUNC,
  BERTH_ATTR_PLACEHOLDER,  // $T in a function body; text in |s|.
  BERTH_ATTR_LIST = 16,    // Added to a kind above for a list of it;
                           // alone: an empty list of unsaid kind.
} berth_attr_kind_t;

typedef struct berth_attr_value berth_attr_value_t;

typedef struct berth_attr_text {
  const char *text;  // NUL-terminated too, but may hold NULs.
  size_t size;
} berth_attr_text_t;

// A named value, as nodes and functions carry them.
typedef struct berth_attr berth_attr_t;

// A function by name, with attributes for it.
typedef struct berth_attr_func {
  const char *name;
  int32_t attr_count;
  const berth_attr_t *attrs;
} berth_attr_func_t;

struct berth_attr_value {
  berth_attr_kind_t kind;
  int32_t count;  // Of a list.
  union {
    berth_attr_text_t s;
    int64_t i;
    float f;
    bool b;
    berth_dtype_t type;
    berth_dims_t shape;      // Rank -1 and dims -1 where unknown.
    berth_tensor_t *tensor;  // Retained by the holder; may be compact.
    const berth_attr_func_t *func;
    const berth_attr_text_t *s_list;
    const int64_t *i_list;
    const float *f_list;
    const bool *b_list;
    const berth_dtype_t *type_list;
    const berth_dims_t *shape_list;
    berth_tensor_t *const *tensor_list;
    const berth_attr_func_t *func_list;
  };
};

struct berth_attr {
  const char *name;
  berth_attr_value_t value;
};

// Returns the word TensorFlow uses for a kind: "type", "list(int)".
const char *berth_attr_kind_name(berth_attr_kind_t kind);

// Copies |value| into |arena|; tensors are retained (the holder releases them
// with berth_attr_drop_tensors()). BERTH_RESOURCE_EXHAUSTED leaves nothing.
BERTH_NODISCARD berth_code_t berth_attr_copy(const berth_attr_value_t *value,
                                             berth_arena_t *arena,
                                             berth_attr_value_t *out_value,
                                             berth_error_t *err);

// Releases the tensors of |value|.
void berth_attr_drop_tensors(const berth_attr_value_t *value);

// True when both say the same; tensors are compared by contents.
bool berth_attr_equal(const berth_attr_value_t *a, const berth_attr_value_t *b);

// Appends |value| as TensorFlow's messages print it: DT_FLOAT, [1,2], "text",
// Tensor<type: float shape: [3,2] values: [1 2][3]...>.
void berth_attr_print(const berth_attr_value_t *value, berth_str_t *str);

#endif  // BERTH_GRAPH_ATTR_H_
