// index.c - core.Index: parts of tensors, x[1:, ..., None, 0].
//
// Numbers, slices of numbers, ... and None are turned into one call of
// StridedSlice; whatever else an index may be goes to the function behind.
#include "core.h"
// After core.h, which includes Python.h.
#include <stddef.h>

enum { MOST_PARTS = 16 };

typedef struct index {
  PyObject ob_base;
  PyObject *function;  // Owned: does it at length.
  vectorcallfunc call;
} index_object_t;

// An index on its way to a call.
typedef struct cut {
  int count;
  int32_t begin[MOST_PARTS], end[MOST_PARTS], stride[MOST_PARTS];
  long masks[5];  // In the order of the op's attributes.
} cut_t;
enum { BEGIN_MASK, END_MASK, ELLIPSIS_MASK, NEW_AXIS_MASK, SHRINK_MASK };
static PyObject *mask_names[5];
static PyObject *op_name, *label;

static bool read_number(PyObject *item, int32_t *out) {
  int overflow = 0;
  if (!PyLong_CheckExact(item)) return false;
  long value = PyLong_AsLongAndOverflow(item, &overflow);
  *out = (int32_t)value;
  return overflow == 0 && value > INT32_MIN && value < INT32_MAX;
}

// Adds one part; the masks get its bit.
static bool add_part(cut_t *cut, const int32_t *numbers, int mask) {
  if (cut->count == MOST_PARTS) return false;
  cut->begin[cut->count] = numbers[0];
  cut->end[cut->count] = numbers[1];
  cut->stride[cut->count] = numbers[2];
  if (mask >= 0) cut->masks[mask] |= 1L << cut->count;
  ++cut->count;
  return true;
}

static bool add_slice(cut_t *cut, const PySliceObject *slice) {
  int32_t numbers[3] = {0, 0, 1};
  PyObject *const parts[3] = {slice->start, slice->stop, slice->step};
  for (int i = 0; i < 3; ++i) {
    if (parts[i] != Py_None && !read_number(parts[i], &numbers[i]))
      return false;
  }
  int at = cut->count;
  if (!add_part(cut, numbers, -1)) return false;
  if (slice->start == Py_None) cut->masks[BEGIN_MASK] |= 1L << at;
  if (slice->stop == Py_None) cut->masks[END_MASK] |= 1L << at;
  return true;
}

static bool add_item(cut_t *cut, PyObject *item) {
  int32_t numbers[3] = {0, 0, 1};
  if (PySlice_Check(item)) return add_slice(cut, (PySliceObject *)item);
  if (item == Py_Ellipsis) return add_part(cut, numbers, ELLIPSIS_MASK);
  if (item == Py_None) return add_part(cut, numbers, NEW_AXIS_MASK);
  if (!read_number(item, &numbers[0])) return false;
  numbers[1] = numbers[0] + 1;
  return add_part(cut, numbers, SHRINK_MASK);
}

static bool cut_read(cut_t *cut, PyObject *index) {
  *cut = (cut_t){.count = 0};
  if (!PyTuple_CheckExact(index)) return add_item(cut, index);
  bool ok = PyTuple_GET_SIZE(index) > 0;
  for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(index); ++i) {
    ok = add_item(cut, PyTuple_GET_ITEM(index, i));
  }
  return ok;
}

static PyObject *row(PyTypeObject *type, const int32_t *numbers, int count) {
  berth_tensor_t *tensor = NULL;
  int64_t size = count;
  if (berth_tensor_copy_from(BERTH_INT32, (berth_dims_t){1, &size}, numbers,
                             &tensor, NULL) != BERTH_OK) {
    return NULL;
  }
  return berth_py_tensor_new(type, tensor);
}

static bool sort_masks(const berth_py_op_t *op, const cut_t *cut,
                       PyObject **attrs) {
  memset(attrs, 0, (size_t)op->attr_count * sizeof(*attrs));
  for (int i = 0; i < 5; ++i) {
    if (cut->masks[i] == 0) continue;
    int at = berth_py_op_attr(op, mask_names[i]);
    if (at >= 0) attrs[at] = PyLong_FromLong(cut->masks[i]);
    if (at < 0 || attrs[at] == NULL) return false;
  }
  return true;
}

// Cuts |tensor|; NULL, without an exception, when the function has to.
static PyObject *cut_tensor(PyObject *tensor, const cut_t *cut) {
  PyObject *attrs[BERTH_PY_MOST_ATTRS] = {NULL};
  PyObject *result = NULL;
  berth_py_op_t *op = berth_py_op_find(op_name);
  if (op == NULL || !op->is_quick) return NULL;
  PyTypeObject *type = Py_TYPE(tensor);
  PyObject *inputs[4] = {tensor, row(type, cut->begin, cut->count),
                         row(type, cut->end, cut->count),
                         row(type, cut->stride, cut->count)};
  if (sort_masks(op, cut, attrs) && inputs[1] != NULL && inputs[2] != NULL &&
      inputs[3] != NULL) {
    result = berth_py_op_call(op, inputs, attrs, label, NULL);
  }
  for (int i = 1; i < 4; ++i) Py_XDECREF(inputs[i]);
  for (int i = 0; i < op->attr_count; ++i) Py_XDECREF(attrs[i]);
  return result;
}

static PyObject *index_call(PyObject *object, PyObject *const *args,
                            size_t flags, PyObject *keywords) {
  const index_object_t *self = (index_object_t *)object;
  cut_t cut;
  PyObject *result = NULL;
  if (PyVectorcall_NARGS(flags) == 2 && keywords == NULL &&
      Py_TYPE(args[0]) == berth_py_mode_class(false) &&
      cut_read(&cut, args[1])) {
    result = cut_tensor(args[0], &cut);
  }
  if (result != NULL || PyErr_Occurred()) return result;
  return PyObject_Vectorcall(self->function, args, flags, keywords);
}

static PyObject *index_new(PyTypeObject *type, PyObject *args,
                           PyObject *kwargs) {
  static char *words[] = {"function", NULL};
  PyObject *function = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Index", words, &function)) {
    return NULL;
  }
  index_object_t *self = (index_object_t *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  Py_INCREF(function);
  self->function = function;
  self->call = index_call;
  return (PyObject *)self;
}

static int index_traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(((index_object_t *)object)->function);
  return 0;
}

static int index_clear(PyObject *object) {
  Py_CLEAR(((index_object_t *)object)->function);
  return 0;
}

static void index_dealloc(PyObject *object) {
  PyObject_GC_UnTrack(object);
  (void)index_clear(object);
  Py_TYPE(object)->tp_free(object);
}

PyTypeObject berth_py_index_type = {
    .ob_base = {PyObject_HEAD_INIT(NULL) 0},
    .tp_name = "berth._core.Index",
    .tp_basicsize = sizeof(index_object_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_doc =
        "Index(function)\n\n"
        "Cuts a part out of an eager tensor, and calls function with anything "
        "else.",
    .tp_vectorcall_offset = offsetof(index_object_t, call),
    .tp_call = PyVectorcall_Call,
    .tp_new = index_new,
    .tp_traverse = index_traverse,
    .tp_clear = index_clear,
    .tp_dealloc = index_dealloc,
    .tp_descr_get = berth_py_bind,
};

int berth_py_index_init(PyObject *module) {
  static const char *const texts[5] = {"begin_mask", "end_mask",
                                       "ellipsis_mask", "new_axis_mask",
                                       "shrink_axis_mask"};
  (void)module;
  bool ok = true;
  for (int i = 0; ok && i < 5; ++i) {
    if (mask_names[i] == NULL) {
      mask_names[i] = PyUnicode_InternFromString(texts[i]);
    }
    ok = mask_names[i] != NULL;
  }
  if (op_name == NULL) op_name = PyUnicode_InternFromString("StridedSlice");
  if (label == NULL) label = PyUnicode_InternFromString("strided_slice");
  return ok && op_name != NULL && label != NULL ? 0 : -1;
}
