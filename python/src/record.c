// record.c - core.RecordWriter, core.RecordReader: files of records.
//
// The GIL is held throughout, which serialises threads: most calls only copy.
#include "berth/record.h"

#include "core.h"

PyObject *berth_py_crc32c(PyObject *module, PyObject *data) {
  (void)module;
  Py_buffer bytes;
  if (PyObject_GetBuffer(data, &bytes, PyBUF_SIMPLE) < 0) return NULL;
  uint32_t value = berth_crc32c(0, bytes.buf, (size_t)bytes.len);
  PyBuffer_Release(&bytes);
  return PyLong_FromUnsignedLong(value);
}

// ---- Writing ----

typedef struct record_writer {
  PyObject ob_base;
  berth_record_writer_t *writer;  // Owned; NULL when closed.
} record_writer_t;

static PyObject *writer_new(PyTypeObject *type, PyObject *args,
                            PyObject *keywords) {
  static char *names[] = {"path",      "packing",  "level", "window_bits",
                          "mem_level", "strategy", "flush", NULL};
  berth_record_options_t options = BERTH_RECORD_OPTIONS_INIT;
  berth_error_t err = BERTH_ERROR_INIT;
  PyObject *path = NULL;
  if (!PyArg_ParseTupleAndKeywords(
          args, keywords, "O&|siiiii", names, PyUnicode_FSConverter, &path,
          &options.packing, &options.level, &options.window_bits,
          &options.mem_level, &options.strategy, &options.flush)) {
    return NULL;
  }
  record_writer_t *self = (record_writer_t *)type->tp_alloc(type, 0);
  if (self != NULL &&
      berth_record_writer_open(PyBytes_AS_STRING(path), &options, &self->writer,
                               &err) != BERTH_OK) {
    (void)berth_py_raise(&err);
    Py_CLEAR(self);
  }
  Py_DECREF(path);
  return (PyObject *)self;
}

static void writer_dealloc(PyObject *object) {
  record_writer_t *self = (record_writer_t *)object;
  // Nobody is left to be told.
  if (berth_record_writer_close(self->writer, NULL) != BERTH_OK) {
  }
  Py_TYPE(object)->tp_free(object);
}

// Raises what TensorFlow does for a writer that is closed.
static PyObject *raise_closed(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  err.code = BERTH_FAILED_PRECONDITION;
  (void)snprintf(err.text, sizeof(err.text), "Writer is closed.");
  return berth_py_raise(&err);
}

static PyObject *writer_result(berth_code_t code, berth_error_t *err) {
  if (code != BERTH_OK) return berth_py_raise(err);
  Py_RETURN_NONE;
}

static PyObject *writer_write(PyObject *object, PyObject *record) {
  record_writer_t *self = (record_writer_t *)object;
  berth_error_t err = BERTH_ERROR_INIT;
  Py_buffer bytes;
  if (self->writer == NULL) return raise_closed();
  if (PyUnicode_Check(record)) {
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(record, &size);
    if (text == NULL) return NULL;
    return writer_result(
        berth_record_write(self->writer, text, (size_t)size, &err), &err);
  }
  if (PyObject_GetBuffer(record, &bytes, PyBUF_SIMPLE) < 0) return NULL;
  berth_code_t code =
      berth_record_write(self->writer, bytes.buf, (size_t)bytes.len, &err);
  PyBuffer_Release(&bytes);
  return writer_result(code, &err);
}

static PyObject *writer_flush(PyObject *object, PyObject *unused) {
  (void)unused;
  record_writer_t *self = (record_writer_t *)object;
  berth_error_t err = BERTH_ERROR_INIT;
  if (self->writer == NULL) return raise_closed();
  return writer_result(berth_record_writer_flush(self->writer, &err), &err);
}

static PyObject *writer_close(PyObject *object, PyObject *unused) {
  (void)unused;
  record_writer_t *self = (record_writer_t *)object;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_record_writer_t *writer = self->writer;
  self->writer = NULL;
  return writer_result(berth_record_writer_close(writer, &err), &err);
}

static PyMethodDef writer_methods[] = {
    {"write", writer_write, METH_O, "write(record)\n\nAppends a record."},
    {"flush", writer_flush, METH_NOARGS,
     "flush()\n\nHands to the system what was written."},
    {"close", writer_close, METH_NOARGS, "close()\n\nEnds the file."},
    {NULL, NULL, 0, NULL}};

PyTypeObject berth_py_record_writer_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "berth._core.RecordWriter",
    .tp_doc = "Writes a file of records.",
    .tp_basicsize = sizeof(record_writer_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = writer_new,
    .tp_dealloc = writer_dealloc,
    .tp_methods = writer_methods,
};

// ---- Reading ----

typedef struct record_reader {
  PyObject ob_base;
  berth_record_reader_t *reader;  // Owned; NULL at the end.
} record_reader_t;

static PyObject *reader_new(PyTypeObject *type, PyObject *args,
                            PyObject *keywords) {
  static char *names[] = {"path", "packing", NULL};
  berth_error_t err = BERTH_ERROR_INIT;
  PyObject *path = NULL;
  const char *packing = "";
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&|s", names,
                                   PyUnicode_FSConverter, &path, &packing)) {
    return NULL;
  }
  record_reader_t *self = (record_reader_t *)type->tp_alloc(type, 0);
  if (self != NULL &&
      berth_record_reader_open(PyBytes_AS_STRING(path), packing, &self->reader,
                               &err) != BERTH_OK) {
    (void)berth_py_raise(&err);
    Py_CLEAR(self);
  }
  Py_DECREF(path);
  return (PyObject *)self;
}

static void reader_dealloc(PyObject *object) {
  berth_record_reader_close(((record_reader_t *)object)->reader);
  Py_TYPE(object)->tp_free(object);
}

static PyObject *reader_next(PyObject *object) {
  record_reader_t *self = (record_reader_t *)object;
  berth_error_t err = BERTH_ERROR_INIT;
  const void *record = NULL;
  size_t size = 0;
  if (self->reader == NULL) return NULL;
  if (berth_record_read(self->reader, &record, &size, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  if (record != NULL) {
    return PyBytes_FromStringAndSize(record, (Py_ssize_t)size);
  }
  berth_record_reader_close(self->reader);
  self->reader = NULL;
  return NULL;
}

PyTypeObject berth_py_record_reader_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "berth._core.RecordReader",
    .tp_doc = "Gives the records of a file.",
    .tp_basicsize = sizeof(record_reader_t),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = reader_new,
    .tp_dealloc = reader_dealloc,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = reader_next,
};
