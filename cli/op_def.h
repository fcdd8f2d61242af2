// op_def.h - What is known about an op, decoded for printing.
#ifndef BERTH_CLI_OP_DEF_H_
#define BERTH_CLI_OP_DEF_H_

#include <berth/berth.h>

#include "memory.h"
#include "wire.h"

// The messages about one op, as the library hands them out.
typedef struct cli_op_def {
  const char *name;  // Borrowed.
  void *schema, *kernels;
  size_t schema_size, kernels_size;
} cli_op_def_t;

// An attribute, a kernel: texts to show. Zeroed is empty.
typedef struct cli_op_attr {
  cli_text_t name, type, value, allowed;  // |value|: the default, or "".
} cli_op_attr_t;

typedef struct cli_op_kernel {
  cli_text_t device, types, host_memory, label;
} cli_op_kernel_t;

// Gets the messages of the op called |name|. BERTH_NOT_FOUND.
BERTH_NODISCARD berth_code_t cli_op_def_open(const char *name,
                                             cli_op_def_t *out_def,
                                             berth_error_t *err);
void cli_op_def_close(cli_op_def_t *def);

// Appends `a: T, b: T -> product: T`.
void cli_op_def_signature(const cli_op_def_t *def, cli_text_t *text);

// True when the op keeps state between runs.
bool cli_op_def_is_stateful(const cli_op_def_t *def);

// True when TensorFlow registers a kernel for |device|, or one for any device.
bool cli_op_def_is_registered(const cli_op_def_t *def, const char *device);

// Moves to the next attribute, or kernel, and reads it into |out|, which is to
// be cleared afterwards. |wire| begins as cli_op_def_attrs() or _kernels().
cli_wire_t cli_op_def_attrs(const cli_op_def_t *def);
cli_wire_t cli_op_def_kernels(const cli_op_def_t *def);
bool cli_op_attr_next(cli_wire_t *wire, cli_op_attr_t *out);
bool cli_op_kernel_next(cli_wire_t *wire, cli_op_kernel_t *out);
void cli_op_attr_clear(cli_op_attr_t *attr);
void cli_op_kernel_clear(cli_op_kernel_t *kernel);

#endif  // BERTH_CLI_OP_DEF_H_
