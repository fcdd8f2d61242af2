// wire_attr.c - Attribute values in and out of AttrValue messages.
#include "graph/wire_attr.h"

#include <string.h>

#include "graph/tensor_proto.h"
#include "tensor/shape.h"
#include "wire/message.h"

typedef Berth__Wire__AttrValue value_t;
typedef Berth__Wire__AttrValue__ListValue list_t;
typedef Berth__Wire__NameAttrList func_t;
typedef Berth__Wire__TensorShapeProto shape_t;

// A function whose attributes are still to be converted, one way or the other.
typedef struct task {
  func_t *message;
  berth_attr_func_t *func;
  struct task *next;
} task_t;

typedef struct work {
  berth_arena_t *arena;
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

// ---- Decoding ----

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

// Decodes lists whose elements need work of their own. |count| is set as soon
// as the array is there, so that a failure finds the tensors made so far.
static berth_code_t compound_list_decode(work_t *work, const list_t *list,
                                         berth_attr_value_t *out) {
  berth_error_t *err = work->err;
  berth_arena_t *arena = work->arena;
  if (list->n_s > 0) {
    berth_attr_text_t *texts =
        berth_arena_calloc(arena, list->n_s, sizeof *texts);
    if (texts == NULL) return no_memory(work);
    *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_STRING,
                                .count = (int32_t)list->n_s,
                                .s_list = texts};
    for (size_t i = 0; i < list->n_s; ++i) {
      BERTH_TRY(text_decode(work, &list->s[i], &texts[i]));
    }
  } else if (list->n_shape > 0) {
    berth_dims_t *shapes =
        berth_arena_calloc(arena, list->n_shape, sizeof *shapes);
    if (shapes == NULL) return no_memory(work);
    *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_SHAPE,
                                .count = (int32_t)list->n_shape,
                                .shape_list = shapes};
    for (size_t i = 0; i < list->n_shape; ++i) {
      BERTH_TRY(berth_shape_from_wire(list->shape[i], arena, &shapes[i], err));
    }
  } else if (list->n_tensor > 0) {
    berth_tensor_t **tensors =
        berth_arena_calloc(arena, list->n_tensor, sizeof *tensors);
    if (tensors == NULL) return no_memory(work);
    *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_TENSOR,
                                .count = (int32_t)list->n_tensor,
                                .tensor_list = tensors};
    for (size_t i = 0; i < list->n_tensor; ++i) {
      BERTH_TRY(berth_tensor_from_message(list->tensor[i], &tensors[i], err));
    }
  } else if (list->n_func > 0) {
    berth_attr_func_t *funcs =
        berth_arena_calloc(arena, list->n_func, sizeof *funcs);
    if (funcs == NULL) return no_memory(work);
    *out = (berth_attr_value_t){.kind = BERTH_ATTR_LIST + BERTH_ATTR_FUNC,
                                .count = (int32_t)list->n_func,
                                .func_list = funcs};
    for (size_t i = 0; i < list->n_func; ++i) {
      BERTH_TRY(func_decode(work, list->func[i], &funcs[i]));
    }
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
  return compound_list_decode(work, list, out);
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
  BERTH_TRY(berth_tensor_from_message(message, &tensor, work->err));
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
                                  berth_attr_value_t *out_value,
                                  berth_error_t *err) {
  work_t work = {arena, NULL, err};
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
    code =
        berth_attr_from_wire((const value_t *)message, arena, out_value, err);
  }
  berth_arena_clear(&scratch);
  return code;
}

// ---- Encoding ----

static ProtobufCBinaryData text_encode(berth_attr_text_t text) {
  return (ProtobufCBinaryData){text.size, (uint8_t *)(uintptr_t)text.text};
}

shape_t *berth_shape_to_wire(berth_dims_t shape, berth_arena_t *arena) {
  shape_t *message =
      berth_message_new(&berth__wire__tensor_shape_proto__descriptor, arena);
  if (message == NULL) return NULL;
  message->unknown_rank = shape.rank < 0;
  if (shape.rank <= 0) return message;
  size_t count = (size_t)shape.rank;
  message->dim = berth_arena_calloc(arena, count, sizeof *message->dim);
  if (message->dim == NULL) return NULL;
  for (size_t i = 0; i < count; ++i) {
    message->dim[i] = berth_message_new(
        &berth__wire__tensor_shape_proto__dim__descriptor, arena);
    if (message->dim[i] == NULL) return NULL;
    message->dim[i]->size = shape.dims[i];
  }
  message->n_dim = count;
  return message;
}

static func_t *func_encode(work_t *work, const berth_attr_func_t *func) {
  func_t *message =
      berth_message_new(&berth__wire__name_attr_list__descriptor, work->arena);
  if (message == NULL) return NULL;
  message->name = (char *)(uintptr_t)func->name;
  berth_attr_func_t *source = (berth_attr_func_t *)(uintptr_t)func;
  return task_add(work, message, source) ? message : NULL;
}

static void *new_array(const work_t *work, size_t count, size_t size) {
  return berth_arena_calloc(work->arena, count, size);
}

// Encodes lists whose elements are messages or have another layout there.
static berth_code_t compound_list_encode(work_t *work,
                                         const berth_attr_value_t *value,
                                         list_t *list) {
  size_t count = (size_t)value->count;
  void *array = new_array(work, count, sizeof(ProtobufCBinaryData));
  if (array == NULL) return no_memory(work);
  switch ((int)value->kind - BERTH_ATTR_LIST) {
    case BERTH_ATTR_STRING:
      list->s = array;
      for (; list->n_s < count; ++list->n_s) {
        list->s[list->n_s] = text_encode(value->s_list[list->n_s]);
      }
      return BERTH_OK;
    case BERTH_ATTR_BOOL:
      list->b = array;
      for (; list->n_b < count; ++list->n_b) {
        list->b[list->n_b] = value->b_list[list->n_b];
      }
      return BERTH_OK;
    case BERTH_ATTR_SHAPE:
      list->shape = array;
      for (; list->n_shape < count; ++list->n_shape) {
        shape_t *shape =
            berth_shape_to_wire(value->shape_list[list->n_shape], work->arena);
        if (shape == NULL) return no_memory(work);
        list->shape[list->n_shape] = shape;
      }
      return BERTH_OK;
    case BERTH_ATTR_TENSOR:
      list->tensor = array;
      for (; list->n_tensor < count; ++list->n_tensor) {
        BERTH_TRY(berth_tensor_to_message(
            value->tensor_list[list->n_tensor], work->arena,
            &list->tensor[list->n_tensor], work->err));
      }
      return BERTH_OK;
    default:
      list->func = array;
      for (; list->n_func < count; ++list->n_func) {
        func_t *func = func_encode(work, &value->func_list[list->n_func]);
        if (func == NULL) return no_memory(work);
        list->func[list->n_func] = func;
      }
      return BERTH_OK;
  }
}

static berth_code_t list_encode(work_t *work, const berth_attr_value_t *value,
                                value_t *message) {
  list_t *list = berth_message_new(
      &berth__wire__attr_value__list_value__descriptor, work->arena);
  if (list == NULL) return no_memory(work);
  message->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_LIST;
  message->list = list;
  size_t count = (size_t)value->count;
  if (count == 0) return BERTH_OK;
  switch ((int)value->kind - BERTH_ATTR_LIST) {
    case BERTH_ATTR_INT:
      list->i = (int64_t *)(uintptr_t)value->i_list;
      list->n_i = count;
      return BERTH_OK;
    case BERTH_ATTR_FLOAT:
      list->f = (float *)(uintptr_t)value->f_list;
      list->n_f = count;
      return BERTH_OK;
    case BERTH_ATTR_TYPE:
      list->type = (Berth__Wire__DataType *)(uintptr_t)value->type_list;
      list->n_type = count;
      return BERTH_OK;
    default:
      return compound_list_encode(work, value, list);
  }
}

_Static_assert(sizeof(Berth__Wire__DataType) == sizeof(berth_dtype_t),
               "lists of types are lent to messages as they are");

// Encodes one value; functions in it are added to the work.
static berth_code_t value_encode(work_t *work, const berth_attr_value_t *value,
                                 value_t *message) {
  switch ((int)value->kind) {
    case BERTH_ATTR_NONE:
      return BERTH_OK;
    case BERTH_ATTR_STRING:
      message->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_S;
      message->s = text_encode(value->s);
      return BERTH_OK;
    case BERTH_ATTR_INT:
      message->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_I;
      message->i = value->i;
      return BERTH_OK;
    case BERTH_ATTR_FLOAT:
      message->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_F;
      message->f = value->f;
      return BERTH_OK;
    case BERTH_ATTR_BOOL:
      message->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_B;
      message->b = value->b;
      return BERTH_OK;
    case BERTH_ATTR_TYPE:
      message->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_TYPE;
      message->type = (Berth__Wire__DataType)value->type;
      return BERTH_OK;
    case BERTH_ATTR_SHAPE:
      message->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_SHAPE;
      message->shape = berth_shape_to_wire(value->shape, work->arena);
      return message->shape != NULL ? BERTH_OK : no_memory(work);
    case BERTH_ATTR_TENSOR:
      message->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_TENSOR;
      return berth_tensor_to_message(value->tensor, work->arena,
                                     &message->tensor, work->err);
    case BERTH_ATTR_PLACEHOLDER:
      message->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_PLACEHOLDER;
      message->placeholder = (char *)(uintptr_t)value->s.text;
      return BERTH_OK;
    case BERTH_ATTR_FUNC:
      message->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_FUNC;
      message->func = func_encode(work, value->func);
      return message->func != NULL ? BERTH_OK : no_memory(work);
    default:
      return list_encode(work, value, message);
  }
}

// Encodes the attributes of one function.
static berth_code_t task_encode(work_t *work, const task_t *task) {
  func_t *message = task->message;
  size_t count = (size_t)task->func->attr_count;
  message->attr = new_array(work, count, sizeof *message->attr);
  if (message->attr == NULL) return no_memory(work);
  for (size_t i = 0; i < count; ++i) {
    Berth__Wire__NameAttrList__AttrEntry *entry = berth_message_new(
        &berth__wire__name_attr_list__attr_entry__descriptor, work->arena);
    if (entry == NULL) return no_memory(work);
    entry->key = (char *)(uintptr_t)task->func->attrs[i].name;
    entry->value =
        berth_message_new(&berth__wire__attr_value__descriptor, work->arena);
    if (entry->value == NULL) return no_memory(work);
    message->attr[message->n_attr++] = entry;
    BERTH_TRY(value_encode(work, &task->func->attrs[i].value, entry->value));
  }
  return BERTH_OK;
}

berth_code_t berth_attr_to_wire(const berth_attr_value_t *value,
                                berth_arena_t *arena, value_t **out_message,
                                berth_error_t *err) {
  work_t work = {arena, NULL, err};
  value_t *message =
      berth_message_new(&berth__wire__attr_value__descriptor, arena);
  if (message == NULL) return no_memory(&work);
  BERTH_TRY(value_encode(&work, value, message));
  while (work.tasks != NULL) {
    const task_t *task = work.tasks;
    work.tasks = task->next;
    BERTH_TRY(task_encode(&work, task));
  }
  *out_message = message;
  return BERTH_OK;
}
