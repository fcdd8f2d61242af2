// shares.c - Budgets of cards and neighbours on them, as Python's values.
#include "core.h"

static PyObject *truth(bool value) { return value ? Py_True : Py_False; }

// ---- Budgets ----

static PyObject *budget_dict(const berth_memory_budget_t *b) {
  return Py_BuildValue(
      "{s:K,s:K,s:K,s:d,s:d,s:K,s:K,s:K,s:O}", "budget",
      (unsigned long long)b->budget_bytes, "floor",
      (unsigned long long)b->floor_bytes, "margin",
      (unsigned long long)b->margin_bytes, "wait", (double)b->wait_ms / 1e3,
      "idle", (double)b->idle_ms / 1e3, "pool",
      (unsigned long long)b->pool_bytes, "outside",
      (unsigned long long)b->outside_bytes, "peak",
      (unsigned long long)b->peak_bytes, "is_estimate", truth(b->is_estimate));
}

static PyObject *core_memory_budget(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_memory_budget_t budget;
  const char *name = NULL;
  if (!PyArg_ParseTuple(args, "s:memory_budget", &name)) return NULL;
  if (berth_device_query_memory_budget(name, &budget, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  return budget_dict(&budget);
}

static PyObject *core_set_memory_budget(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  unsigned long long budget = 0, floor = 0, margin = 0;
  double wait = 0, idle = 0;
  if (!PyArg_ParseTuple(args, "sKKKdd:set_memory_budget", &name, &budget,
                        &floor, &margin, &wait, &idle)) {
    return NULL;
  }
  berth_memory_budget_t wish = {.budget_bytes = budget,
                                .floor_bytes = floor,
                                .margin_bytes = margin,
                                .wait_ms = (int64_t)(wait * 1e3),
                                .idle_ms = (int64_t)(idle * 1e3)};
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_device_set_memory_budget(name, &wish, &err);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) return berth_py_raise(&err);
  Py_RETURN_NONE;
}

static PyObject *core_memory_report(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *name = NULL;
  unsigned long long asked = 0;
  int form = BERTH_REPORT_JSON;
  char *text = NULL;
  if (!PyArg_ParseTuple(args, "s|Ki:memory_report", &name, &asked, &form)) {
    return NULL;
  }
  if (berth_device_report_memory(name, asked, (berth_report_form_t)form, &text,
                                 &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  return berth_py_text_take(text);
}

// ---- History ----

static PyObject *core_memory_history(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  long long events = -1;
  if (!PyArg_ParseTuple(args, "|L:memory_history", &events)) return NULL;
  if (PyTuple_GET_SIZE(args) > 0 &&
      berth_memory_keep_history(events, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  return PyLong_FromLongLong(berth_memory_history_size());
}

static PyObject *core_memory_snapshot(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  berth_error_t err = BERTH_ERROR_INIT;
  char *text = NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_memory_snapshot(&text, &err);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) return berth_py_raise(&err);
  return berth_py_text_take(text);
}

static PyObject *core_memory_labels(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  PyObject *list = PyList_New(0);
  const char *text = NULL;
  for (int i = 0; list != NULL && (text = berth_memory_label(i)) != NULL; ++i) {
    PyObject *label =
        PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    if (label == NULL || PyList_Append(list, label) != 0) Py_CLEAR(list);
    Py_XDECREF(label);
  }
  return list;
}

// ---- Neighbours ----

enum { MOST_SHARES = 512 };

static PyObject *share_dict(const berth_card_share_t *s) {
  return Py_BuildValue(
      "{s:L,s:s,s:s,s:s,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:O}", "pid",
      (long long)s->pid, "program", s->program, "card_uuid", s->card_uuid,
      "pci_bus_id", s->pci_bus_id, "budget",
      (unsigned long long)s->budget_bytes, "floor",
      (unsigned long long)s->floor_bytes, "pool",
      (unsigned long long)s->pool_bytes, "in_use",
      (unsigned long long)s->in_use_bytes, "peak",
      (unsigned long long)s->peak_bytes, "outside",
      (unsigned long long)s->outside_bytes, "wish",
      (unsigned long long)s->wish_bytes, "asked",
      (unsigned long long)s->asked_count, "given",
      (unsigned long long)s->given_bytes, "is_self", truth(s->is_self));
}

static PyObject *core_card_shares(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  berth_error_t err = BERTH_ERROR_INIT;
  static berth_card_share_t shares[MOST_SHARES];  // The GIL guards it.
  int count = 0;
  if (berth_card_shares(shares, MOST_SHARES, &count, &err) != BERTH_OK) {
    return berth_py_raise(&err);
  }
  PyObject *list = PyList_New(0);
  for (int i = 0; list != NULL && i < count && i < MOST_SHARES; ++i) {
    PyObject *share = share_dict(&shares[i]);
    if (share == NULL || PyList_Append(list, share) != 0) Py_CLEAR(list);
    Py_XDECREF(share);
  }
  return list;
}

static PyObject *core_ask_neighbours(PyObject *module, PyObject *args) {
  (void)module;
  berth_error_t err = BERTH_ERROR_INIT;
  int card = 0;
  unsigned long long bytes = 0;
  uint64_t given = 0;
  if (!PyArg_ParseTuple(args, "iK:ask_neighbours", &card, &bytes)) return NULL;
  PyThreadState *saved = PyEval_SaveThread();
  berth_code_t code = berth_card_ask(card, bytes, &given, &err);
  PyEval_RestoreThread(saved);
  if (code != BERTH_OK) return berth_py_raise(&err);
  return PyLong_FromUnsignedLongLong(given);
}

// ---- Spilling ----

static PyObject *core_set_spill(PyObject *module, PyObject *value) {
  (void)module;
  int is_on = PyObject_IsTrue(value);
  if (is_on < 0) return NULL;
  berth_memory_set_spill(is_on != 0);
  Py_RETURN_NONE;
}

static PyObject *core_spill(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  berth_memory_spill_t s;
  berth_memory_query_spill(&s);
  return Py_BuildValue("{s:O,s:K,s:K,s:K,s:K}", "is_on", truth(s.is_on),
                       "moved", (unsigned long long)s.moved_count,
                       "moved_bytes", (unsigned long long)s.moved_bytes,
                       "returned", (unsigned long long)s.returned_count,
                       "away_bytes", (unsigned long long)s.away_bytes);
}

PyMethodDef berth_py_share_methods[] = {
    {"set_spill", core_set_spill, METH_O,
     "Lets variables wait on the host while a GPU is full, or not."},
    {"spill", core_spill, METH_NOARGS, "Returns what was moved so."},
    {"memory_budget", core_memory_budget, METH_VARARGS,
     "memory_budget(device)\n\nReturns the budget of a GPU's card as a dict."},
    {"set_memory_budget", core_set_memory_budget, METH_VARARGS,
     "set_memory_budget(device, budget, floor, margin, wait, idle)\n\nGives "
     "the card of a GPU a budget."},
    {"memory_report", core_memory_report, METH_VARARGS,
     "memory_report(device, asked=0, form=1)\n\nReturns what the memory of a "
     "GPU looks like as JSON (1) or text (0)."},
    {"memory_history", core_memory_history, METH_VARARGS,
     "memory_history(events=None)\n\nKeeps so many events, 0: none; returns "
     "how "
     "many are kept."},
    {"memory_snapshot", core_memory_snapshot, METH_NOARGS,
     "Returns what all devices hold, by whom, and the history, as JSON."},
    {"memory_labels", core_memory_labels, METH_NOARGS,
     "Returns the names that memory was asked for under."},
    {"card_shares", core_card_shares, METH_NOARGS,
     "Returns what every Berth process holds of every card, as dicts."},
    {"ask_neighbours", core_ask_neighbours, METH_VARARGS,
     "ask_neighbours(card, bytes)\n\nAsks others for memory; returns bytes."},
    {NULL, NULL, 0, NULL}};
