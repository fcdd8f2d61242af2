// op_def.c - What is known about an op.
//
// Reads OpDef, KernelList and the AttrValues inside by their field numbers.
#include "op_def.h"

#include <inttypes.h>
#include <string.h>

berth_code_t cli_op_def_open(const char *name, cli_op_def_t *out_def,
                             berth_error_t *err) {
  cli_op_def_t def = {.name = name};
  berth_code_t code =
      berth_op_schema_proto(name, &def.schema, &def.schema_size, err);
  if (code == BERTH_OK) {
    code = berth_op_kernels_proto(name, &def.kernels, &def.kernels_size, err);
  }
  if (code == BERTH_OK) {
    *out_def = def;
  } else {
    berth_text_free(def.schema);
  }
  return code;
}

void cli_op_def_close(cli_op_def_t *def) {
  berth_text_free(def->schema);
  berth_text_free(def->kernels);
  *def = (cli_op_def_t){0};
}

// ---- AttrValue ----

static void put_type(uint64_t number, cli_text_t *text) {
  cli_text_puts(text, berth_dtype_name((berth_dtype_t)number));
}

static void put_quoted(const cli_wire_t *wire, cli_text_t *text) {
  cli_text_puts(text, "'");
  cli_text_put(text, wire->data, wire->size);
  cli_text_puts(text, "'");
}

// TensorShapeProto {dim = 2 {size = 1}, unknown_rank = 3}.
static void put_shape(cli_wire_t wire, cli_text_t *text) {
  cli_text_t dims = {0};
  bool is_unknown = false;
  while (cli_wire_next(&wire)) {
    if (wire.field == 3) is_unknown = wire.number != 0;
    if (wire.field != 2) continue;
    cli_wire_t dim = cli_wire_inside(&wire);
    int64_t size = 0;
    while (cli_wire_next(&dim)) {
      if (dim.field == 1) size = (int64_t)dim.number;
    }
    cli_text_printf(&dims, "%s%" PRId64, dims.size > 0 ? "," : "", size);
  }
  if (is_unknown) {
    cli_text_puts(text, "unknown");
  } else {
    cli_text_printf(text, "[%s]", cli_text_get(&dims));
  }
  cli_text_clear(&dims);
}

// One value of the kinds that AttrValue and its lists share: s i f b type
// shape.
static void put_value(const cli_wire_t *wire, cli_text_t *text) {
  switch (wire->field) {
    case 2:
      put_quoted(wire, text);
      break;
    case 3:
      cli_text_printf(text, "%" PRId64, (int64_t)wire->number);
      break;
    case 4:
      cli_text_printf(text, "%.9g", (double)cli_wire_float(wire));
      break;
    case 5:
      cli_text_puts(text, wire->number != 0 ? "true" : "false");
      break;
    case 6:
      put_type(wire->number, text);
      break;
    case 7:
      put_shape(cli_wire_inside(wire), text);
      break;
    default:
      cli_text_puts(text, "...");
  }
}

// A list {s = 2, i = 3, f = 4, b = 5, type = 6, shape = 7}; numbers may be
// packed.
static void put_list(cli_wire_t wire, cli_text_t *text) {
  bool is_first = true;
  while (cli_wire_next(&wire)) {
    bool is_packed = wire.data != NULL && wire.field >= 3 && wire.field <= 6;
    cli_wire_t packed = cli_wire_inside(&wire);
    do {
      if (is_packed && !cli_wire_unpack(&packed, &wire.number)) break;
      if (!is_first) cli_text_puts(text, ", ");
      put_value(&wire, text);
      is_first = false;
    } while (is_packed);
  }
}

// Prints an AttrValue; a list in brackets unless it is a set.
static void put_attr_value(cli_wire_t wire, bool is_set, cli_text_t *text) {
  while (cli_wire_next(&wire)) {
    if (wire.field != 1) {
      put_value(&wire, text);
      continue;
    }
    if (!is_set) cli_text_puts(text, "[");
    put_list(cli_wire_inside(&wire), text);
    if (!is_set) cli_text_puts(text, "]");
  }
}

// ---- OpDef ----

// ArgDef {name = 1, type = 3, type_attr = 4, number_attr = 5,
// type_list_attr = 6, is_ref = 16}: `inputs: N * T`.
static void put_arg(cli_wire_t wire, cli_text_t *text) {
  cli_text_t name = {0}, number = {0}, type = {0};
  bool is_ref = false;
  while (cli_wire_next(&wire)) {
    if (wire.field == 1) cli_text_put(&name, wire.data, wire.size);
    if (wire.field == 3 && wire.number != 0) put_type(wire.number, &type);
    if (wire.field == 4 || wire.field == 6) {
      cli_text_put(&type, wire.data, wire.size);
    }
    if (wire.field == 5) cli_text_put(&number, wire.data, wire.size);
    if (wire.field == 16) is_ref = wire.number != 0;
  }
  cli_text_printf(text, "%s: %s%s%s", cli_text_get(&name),
                  cli_text_get(&number), number.size > 0 ? " * " : "",
                  is_ref ? "Ref(" : "");
  cli_text_printf(text, "%s%s", cli_text_get(&type), is_ref ? ")" : "");
  cli_text_clear(&name);
  cli_text_clear(&number);
  cli_text_clear(&type);
}

// The arguments in |field| of the OpDef, separated by commas.
static void put_args(const cli_op_def_t *def, uint32_t field,
                     cli_text_t *text) {
  bool is_first = true;
  cli_wire_t wire = cli_wire_open(def->schema, def->schema_size);
  while (cli_wire_next(&wire)) {
    if (wire.field != field) continue;
    if (!is_first) cli_text_puts(text, ", ");
    put_arg(cli_wire_inside(&wire), text);
    is_first = false;
  }
  if (is_first) cli_text_puts(text, "()");
}

void cli_op_def_signature(const cli_op_def_t *def, cli_text_t *text) {
  put_args(def, 2, text);
  cli_text_puts(text, " -> ");
  put_args(def, 3, text);
}

bool cli_op_def_is_stateful(const cli_op_def_t *def) {
  cli_wire_t wire = cli_wire_open(def->schema, def->schema_size);
  bool is_stateful = false;
  while (cli_wire_next(&wire)) {
    if (wire.field == 17) is_stateful = wire.number != 0;
  }
  return is_stateful;
}

cli_wire_t cli_op_def_attrs(const cli_op_def_t *def) {
  return cli_wire_open(def->schema, def->schema_size);
}

// AttrDef {name = 1, type = 2, default_value = 3, has_minimum = 5,
// minimum = 6, allowed_values = 7}.
static void read_attr(cli_wire_t wire, cli_op_attr_t *out) {
  bool has_minimum = false;
  int64_t minimum = 0;
  while (cli_wire_next(&wire)) {
    if (wire.field == 1) cli_text_put(&out->name, wire.data, wire.size);
    if (wire.field == 2) cli_text_put(&out->type, wire.data, wire.size);
    if (wire.field == 3) {
      put_attr_value(cli_wire_inside(&wire), false, &out->value);
    }
    if (wire.field == 5) has_minimum = wire.number != 0;
    if (wire.field == 6) minimum = (int64_t)wire.number;
    if (wire.field == 7) {
      put_attr_value(cli_wire_inside(&wire), true, &out->allowed);
    }
  }
  if (has_minimum) cli_text_printf(&out->allowed, "from %" PRId64, minimum);
}

bool cli_op_attr_next(cli_wire_t *wire, cli_op_attr_t *out) {
  *out = (cli_op_attr_t){0};
  while (cli_wire_next(wire)) {
    if (wire->field != 4) continue;
    read_attr(cli_wire_inside(wire), out);
    return true;
  }
  return false;
}

void cli_op_attr_clear(cli_op_attr_t *attr) {
  cli_text_clear(&attr->name);
  cli_text_clear(&attr->type);
  cli_text_clear(&attr->value);
  cli_text_clear(&attr->allowed);
}

// ---- Kernels ----

cli_wire_t cli_op_def_kernels(const cli_op_def_t *def) {
  return cli_wire_open(def->kernels, def->kernels_size);
}

// AttrConstraint {name = 1, allowed_values = 2}: `T: float, double`.
static void put_constraint(cli_wire_t wire, cli_text_t *text) {
  if (text->size > 0) cli_text_puts(text, "; ");
  while (cli_wire_next(&wire)) {
    if (wire.field == 1) {
      cli_text_put(text, wire.data, wire.size);
      cli_text_puts(text, ": ");
    }
    if (wire.field == 2) put_attr_value(cli_wire_inside(&wire), true, text);
  }
}

// KernelDef {device_type = 2, constraint = 3, host_memory_arg = 4, label = 5}.
static void read_kernel(cli_wire_t wire, cli_op_kernel_t *out) {
  while (cli_wire_next(&wire)) {
    if (wire.field == 2) cli_text_put(&out->device, wire.data, wire.size);
    if (wire.field == 3) put_constraint(cli_wire_inside(&wire), &out->types);
    if (wire.field == 4) {
      if (out->host_memory.size > 0) cli_text_puts(&out->host_memory, ", ");
      cli_text_put(&out->host_memory, wire.data, wire.size);
    }
    if (wire.field == 5) cli_text_put(&out->label, wire.data, wire.size);
  }
}

bool cli_op_kernel_next(cli_wire_t *wire, cli_op_kernel_t *out) {
  *out = (cli_op_kernel_t){0};
  while (cli_wire_next(wire)) {
    if (wire->field != 1) continue;
    read_kernel(cli_wire_inside(wire), out);
    return true;
  }
  return false;
}

void cli_op_kernel_clear(cli_op_kernel_t *kernel) {
  cli_text_clear(&kernel->device);
  cli_text_clear(&kernel->types);
  cli_text_clear(&kernel->host_memory);
  cli_text_clear(&kernel->label);
}

bool cli_op_def_is_registered(const cli_op_def_t *def, const char *device) {
  cli_wire_t wire = cli_op_def_kernels(def);
  cli_op_kernel_t kernel;
  bool is_registered = false;
  while (cli_op_kernel_next(&wire, &kernel)) {
    const char *type = cli_text_get(&kernel.device);
    if (strcmp(type, device) == 0 || strcmp(type, "DEFAULT") == 0) {
      is_registered = true;
    }
    cli_op_kernel_clear(&kernel);
  }
  return is_registered;
}
