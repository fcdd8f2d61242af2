// wire_attr.c - Attribute values out of AttrValue messages.
#include "graph/wire_attr.h"

#include <string.h>

#include "graph/tensor_proto.h"
#include "tensor/shape.h"
#include "wire/message.h"

typedef Berth__Wire__AttrValue value_t;
typedef Berth__Wire__AttrValue__ListValue list_t;
typedef Berth__Wire__NameAttrList func_t;
typedef Berth__Wire__TensorShapeProto shape_t;

// A function whose attributes are still to be decoded.
typedef struct task {
  func_t *message;
  berth_attr_func_t *func;
  struct task *next;
} task_t;

typedef struct work {
  berth_arena_t *arena;
  berth_expansion_t *expansion;
  task_t *tasks;
  berth_error_t *err;
} work_t;

static berth_code_t no_memory(const work_t *work) {
  return berth_error_no_memory(work->err, "an attribute");
}

static bool task_add(work_t *work, func_t *message, berth_attr_func_t *func) {
  task_t *task = berth_arena_alloc(work->arena, sizeof *task);
  if (task == NULL) return false;
  *task = (task_t){message, func, work->tasks};
  work->tasks = task;
  return true;
}

static berth_code_t text_decode(const work_t *work,
                                const ProtobufCBinaryData *bytes,
                                berth_attr_text_t *out) {
  const char *text =
      berth_arena_strndup(work->arena, (const char *)bytes->data, bytes->len);
  if (text == NULL) return no_memory(work);
  *out = (berth_attr_text_t){text, bytes->len};
  return BERTH_OK;
}

// Refuses dimensions below -1, and products that no tensor can have.
static berth_code_t dims_check(berth_dims_t shape, berth_error_t *err) {
  bool is_low = false;
  for (int32_t i = 0; i < shape.rank; ++i) is_low |= shape.dims[i] < -1;
  bool is_large = berth_dims_is_full(shape) && berth_dims_count(shape) < 0;
  if (!is_low && !is_large) return BERTH_OK;
  berth_str_t text = {0};
  for (int32_t i = 0; i < shape.rank; ++i) {
    berth_str_printf(&text, "%s%lld", i > 0 ? "," : "",
                     (long long)shape.dims[i]);
  }
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT, "Shape [%s] %s", berth_str_get(&text),
      is_low ? "has dimensions with values below -1 (where -1 means unknown)"
             : "is too large (more than 2**63 - 1 entries)");
  berth_str_clear(&text);
  return code;
}

berth_code_t berth_shape_from_wire(const shape_t *message, berth_arena_t *arena,
                                   berth_dims_t *out_shape,
                                   berth_error_t *err) {
  if (message == NULL || message->unknown_rank) {
    *out_shape = BERTH_UNKNOWN_RANK;
    return BERTH_OK;
  }
  if (message->n_dim > BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape has %zu dimensions; the limit is %d",
                           message->n_dim, BERTH_MAX_RANK);
  }
  if (message->n_dim == 0) {
    *out_shape = BERTH_SCALAR;
    return BERTH_OK;
  }
  int64_t *dims = berth_arena_calloc(arena, message->n_dim, sizeof *dims);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (size_t i = 0; i < message->n_dim; ++i) dims[i] = message->dim[i]->size;
  BERTH_TRY(dims_check((berth_dims_t){(int32_t)message->n_dim, dims}, err));
  *out_shape = (berth_dims_t){(int32_t)message->n_dim, dims};
  return BERTH_OK;
}

static berth_code_t func_decode(work_t *work, func_t *message,
                                berth_attr_func_t *func) {
  func->name =
      berth_arena_strndup(work->arena, message->name, strlen(message->name));
  if (func->name == NULL || !task_add(work, message, func)) {
    return no_memory(work);
  }
  return BERTH_OK;
}

// The lists below set |out| as soon as their array is there, so that a failure
// finds the tensors made so far.

static berth_code_t texts_decode(const work_t *work, const list_t *list,
                                 berth_attr_value_t *out) {
  berth_attr_text_t *texts =
      berth_arena_calloc(work->arena, list->n_s, sizeof *texts);
  if (texts == NULL) return no_memory(work);
  *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_STRING,
                              .count = (int32_t)list->n_s,
                              .s_list = texts};
  for (size_t i = 0; i < list->n_s; ++i) {
    BERTH_TRY(text_decode(work, &list->s[i], &texts[i]));
  }
  return BERTH_OK;
}

static berth_code_t shapes_decode(const work_t *work, const list_t *list,
                                  berth_attr_value_t *out) {
  berth_dims_t *shapes =
      berth_arena_calloc(work->arena, list->n_shape, sizeof *shapes);
  if (shapes == NULL) return no_memory(work);
  *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_SHAPE,
                              .count = (int32_t)list->n_shape,
                              .shape_list = shapes};
  for (size_t i = 0; i < list->n_shape; ++i) {
    BERTH_TRY(berth_shape_from_wire(list->shape[i], work->arena, &shapes[i],
                                    work->err));
  }
  return BERTH_OK;
}

static berth_code_t tensors_decode(const work_t *work, const list_t *list,
                                   berth_attr_value_t *out) {
  berth_tensor_t **tensors =
      berth_arena_calloc(work->arena, list->n_tensor, sizeof *tensors);
  if (tensors == NULL) return no_memory(work);
  *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_TENSOR,
                              .count = (int32_t)list->n_tensor,
                              .tensor_list = tensors};
  for (size_t i = 0; i < list->n_tensor; ++i) {
    BERTH_TRY(berth_tensor_from_message(list->tensor[i], work->expansion,
                                        &tensors[i], work->err));
  }
  return BERTH_OK;
}

static berth_code_t funcs_decode(work_t *work, const list_t *list,
                                 berth_attr_value_t *out) {
  berth_attr_func_t *funcs =
      berth_arena_calloc(work->arena, list->n_func, sizeof *funcs);
  if (funcs == NULL) return no_memory(work);
  *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_FUNC,
                              .count = (int32_t)list->n_func,
                              .func_list = funcs};
  for (size_t i = 0; i < list->n_func; ++i) {
    BERTH_TRY(func_decode(work, list->func[i], &funcs[i]));
  }
  return BERTH_OK;
}

// Decodes a list of numbers; leaves |out| alone when it is none.
static berth_code_t plain_list_decode(const work_t *work, const list_t *list,
                                      berth_attr_value_t *out) {
  berth_arena_t *arena = work->arena;
  const void *copy = "";
  if (list->n_i > 0) {
    copy = berth_arena_memdup(arena, list->i, list->n_i * sizeof *list->i);
    *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_INT,
                                .count = (int32_t)list->n_i,
                                .i_list = copy};
  } else if (list->n_f > 0) {
    copy = berth_arena_memdup(arena, list->f, list->n_f * sizeof *list->f);
    *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_FLOAT,
                                .count = (int32_t)list->n_f,
                                .f_list = copy};
  } else if (list->n_b > 0) {
    bool *flags = berth_arena_alloc(arena, list->n_b * sizeof *flags);
    for (size_t i = 0; flags != NULL && i < list->n_b; ++i) {
      flags[i] = list->b[i] != 0;
    }
    copy = flags;
    *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_BOOL,
                                .count = (int32_t)list->n_b,
                                .b_list = flags};
  } else if (list->n_type > 0) {
    berth_dtype_t *types =
        berth_arena_alloc(arena, list->n_type * sizeof *types);
    for (size_t i = 0; types != NULL && i < list->n_type; ++i) {
      types[i] = (berth_dtype_t)list->type[i];
    }
    copy = types;
    *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_TYPE,
                                .count = (int32_t)list->n_type,
                                .type_list = types};
  }
  if (copy != NULL) return BERTH_OK;
  *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST};
  return no_memory(work);
}

static berth_code_t list_decode(work_t *work, const list_t *list,
                                berth_attr_value_t *out) {
  *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST};
  BERTH_TRY(plain_list_decode(work, list, out));
  if (out->count > 0) return BERTH_OK;
  if (list->n_s > 0) return texts_decode(work, list, out);
  if (list->n_shape > 0) return shapes_decode(work, list, out);
  if (list->n_tensor > 0) return tensors_decode(work, list, out);
  return list->n_func > 0 ? funcs_decode(work, list, out) : BERTH_OK;
}

static berth_code_t single_func_decode(work_t *work, func_t *message,
                                       berth_attr_value_t *out) {
  berth_attr_func_t *func = berth_arena_calloc(work->arena, 1, sizeof *func);
  if (func == NULL) return no_memory(work);
  *out = (berth_attr_value_t){.kind = BERTH_ATTR_FUNC, .func = func};
  return func_decode(work, message, func);
}

static berth_code_t tensor_decode(const work_t *work,
                                  const Berth__Wire__TensorProto *message,
                                  berth_attr_value_t *out) {
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(
      berth_tensor_from_message(message, work->expansion, &tensor, work->err));
  *out = (berth_attr_value_t){.kind = BERTH_ATTR_TENSOR, .tensor = tensor};
  return BERTH_OK;
}

// Decodes one value; functions in it are added to the work.
static berth_code_t value_decode(work_t *work, const value_t *message,
                                 berth_attr_value_t *out) {
  *out = (berth_attr_value_t){.kind = BERTH_ATTR_NONE};
  switch (message->value_case) {
    case BERTH__WIRE__ATTR_VALUE__VALUE_LIST:
      return list_decode(work, message->list, out);
    case BERTH__WIRE__ATTR_VALUE__VALUE_S:
      BERTH_TRY(text_decode(work, &message->s, &out->s));
      out->kind = BERTH_ATTR_STRING;
      return BERTH_OK;
    case BERTH__WIRE__ATTR_VALUE__VALUE_I:
      *out = (berth_attr_value_t){.kind = BERTH_ATTR_INT, .i = message->i};
      return BERTH_OK;
    case BERTH__WIRE__ATTR_VALUE__VALUE_F:
      *out = (berth_attr_value_t){.kind = BERTH_ATTR_FLOAT, .f = message->f};
      return BERTH_OK;
    case BERTH__WIRE__ATTR_VALUE__VALUE_B:
      *out =
          (berth_attr_value_t){.kind = BERTH_ATTR_BOOL, .b = message->b != 0};
      return BERTH_OK;
    case BERTH__WIRE__ATTR_VALUE__VALUE_TYPE:
      *out = (berth_attr_value_t){.kind = BERTH_ATTR_TYPE,
                                  .type = (berth_dtype_t)message->type};
      return BERTH_OK;
    case BERTH__WIRE__ATTR_VALUE__VALUE_SHAPE:
      BERTH_TRY(berth_shape_from_wire(message->shape, work->arena, &out->shape,
                                      work->err));
      out->kind = BERTH_ATTR_SHAPE;
      return BERTH_OK;
    case BERTH__WIRE__ATTR_VALUE__VALUE_TENSOR:
      return tensor_decode(work, message->tensor, out);
    case BERTH__WIRE__ATTR_VALUE__VALUE_PLACEHOLDER: {
      ProtobufCBinaryData text = {strlen(message->placeholder),
                                  (uint8_t *)message->placeholder};
      BERTH_TRY(text_decode(work, &text, &out->s));
      out->kind = BERTH_ATTR_PLACEHOLDER;
      return BERTH_OK;
    }
    case BERTH__WIRE__ATTR_VALUE__VALUE_FUNC:
      return single_func_decode(work, message->func, out);
    default:
      return BERTH_OK;
  }
}

// Decodes the attributes of one function.
static berth_code_t task_decode(work_t *work, const task_t *task) {
  size_t count = task->message->n_attr;
  berth_attr_t *attrs = berth_arena_calloc(work->arena, count, sizeof *attrs);
  if (attrs == NULL) return no_memory(work);
  task->func->attrs = attrs;
  for (size_t i = 0; i < count; ++i) {
    const Berth__Wire__NameAttrList__AttrEntry *entry = task->message->attr[i];
    attrs[i].name =
        berth_arena_strndup(work->arena, entry->key, strlen(entry->key));
    if (attrs[i].name == NULL) return no_memory(work);
    task->func->attr_count = (int32_t)i + 1;
    if (entry->value == NULL) continue;
    BERTH_TRY(value_decode(work, entry->value, &attrs[i].value));
  }
  return BERTH_OK;
}

berth_code_t berth_attr_from_wire(const value_t *message, berth_arena_t *arena,
                                  berth_expansion_t *expansion,
                                  berth_attr_value_t *out_value,
                                  berth_error_t *err) {
  berth_expansion_t own;
  if (expansion == NULL) berth_expansion_init(&own);
  work_t work = {arena, expansion != NULL ? expansion : &own, NULL, err};
  berth_attr_value_t value;
  berth_code_t code = value_decode(&work, message, &value);
  while (code == BERTH_OK && work.tasks != NULL) {
    const task_t *task = work.tasks;
    work.tasks = task->next;
    code = task_decode(&work, task);
  }
  if (code == BERTH_OK) {
    *out_value = value;
  } else {
    berth_attr_drop_tensors(&value);
  }
  return code;
}

berth_code_t berth_attr_from_bytes(const void *bytes, size_t size,
                                   berth_arena_t *arena,
                                   berth_attr_value_t *out_value,
                                   berth_error_t *err) {
  berth_arena_t scratch = {0};
  ProtobufCMessage *message = NULL;
  berth_code_t code =
      berth_message_unpack(&berth__wire__attr_value__descriptor, bytes, size,
                           &scratch, &message, err);
  if (code == BERTH_OK) {
    code = berth_attr_from_wire((const value_t *)message, arena, NULL,
                                out_value, err);
  }
  berth_arena_clear(&scratch);
  return code;
}
