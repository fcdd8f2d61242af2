// wire_attr_encode.c - Attribute values into AttrValue messages.
#include "graph/tensor_proto.h"
#include "graph/wire_attr.h"
#include "wire/message.h"

typedef Berth__Wire__AttrValue value_t;
typedef Berth__Wire__AttrValue__ListValue list_t;
typedef Berth__Wire__NameAttrList func_t;
typedef Berth__Wire__TensorShapeProto shape_t;

// A function whose attributes are still to be encoded.
typedef struct task {
  const berth_attr_func_t *func;
  func_t *message;
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

// Makes the message of |func|, whose attributes follow later.
static func_t *func_encode(work_t *work, const berth_attr_func_t *func) {
  func_t *message =
      berth_message_new(&berth__wire__name_attr_list__descriptor, work->arena);
  task_t *task = berth_arena_alloc(work->arena, sizeof *task);
  if (message == NULL || task == NULL) return NULL;
  message->name = (char *)(uintptr_t)func->name;
  *task = (task_t){func, message, work->tasks};
  work->tasks = task;
  return message;
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
