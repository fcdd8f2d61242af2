// variable.h - Variables: a name and a value that changes.
//
// The value is a counted tensor that never changes itself. Reading takes a
// reference; assigning swaps another tensor in; updating (commit.h) writes in
// place when the variable holds the only reference to tensor and memory, and
// otherwise into a new tensor that is swapped in. So readers are never
// disturbed, whatever runs at the same time.
//
// Thread-safe.
#ifndef BERTH_STATE_VARIABLE_H_
#define BERTH_STATE_VARIABLE_H_

#include "base/error.h"
#include "state/container.h"
#include "tensor/tensor.h"

typedef struct berth_variable berth_variable_t;

// Finds or makes the variable called |key| in |container_name|.
BERTH_NODISCARD berth_code_t berth_variable_get(
    berth_container_t *container, const char *container_name, const char *key,
    berth_dtype_t dtype, berth_variable_t **out_variable, berth_error_t *err);

// Return what the variable was made with. Borrowed.
const char *berth_variable_name(const berth_variable_t *variable);
berth_dtype_t berth_variable_dtype(const berth_variable_t *variable);

// Remembers the shape that the graph gives the variable, for assignments that
// check it before there is a value. The first one stays; NULL dims are fine.
BERTH_NODISCARD berth_code_t berth_variable_declare(berth_variable_t *variable,
                                                    berth_dims_t shape,
                                                    berth_error_t *err);

// Returns the declared shape, a scalar's when none was. Borrowed.
berth_dims_t berth_variable_declared(berth_variable_t *variable);

// True when a shape was declared, of whatever rank.
bool berth_variable_is_declared(berth_variable_t *variable);

// Returns a reference to the value, or NULL when there is none yet, or it waits
// on the host and cannot be brought back (berth_variable_fail_away()).
berth_tensor_t *berth_variable_read(berth_variable_t *variable);

// Stores the shape of the value; false when there is none. Unlike a reader it
// holds nothing that an update would have to copy.
bool berth_variable_get_shape(berth_variable_t *variable,
                              berth_shape_t *out_shape);

// True when there is a value.
bool berth_variable_is_initialized(berth_variable_t *variable);

// Makes |tensor| (retained) the value.
void berth_variable_assign(berth_variable_t *variable, berth_tensor_t *tensor);

// Forgets the value.
void berth_variable_reset(berth_variable_t *variable);

// Fails with BERTH_INVALID_ARGUMENT and TensorFlow's text unless |value| can be
// updated with a tensor of |dtype| and |dims|. |is_ref| tells which text: that
// for variables behind references, or behind handles.
BERTH_NODISCARD berth_code_t
berth_variable_check_update(const berth_tensor_t *value, berth_dtype_t dtype,
                            berth_dims_t dims, bool is_ref, berth_error_t *err);

// Fails with BERTH_FAILED_PRECONDITION unless |value|, that of |variable|, is
// in the memory of |device|. A name that nodes on several devices share is one
// variable here.
BERTH_NODISCARD berth_code_t berth_variable_check_device(
    const berth_variable_t *variable, const berth_tensor_t *value,
    const berth_device_t *device, berth_error_t *err);

// Fails with BERTH_RESOURCE_EXHAUSTED when the value of |variable| waits on the
// host (state/spill.h); BERTH_OK when it does not.
BERTH_NODISCARD berth_code_t
berth_variable_fail_away(const berth_variable_t *variable, berth_error_t *err);

// Sets the error of updating, or asking about, |variable| while it has no
// value: TensorFlow's for a reference (|is_ref|) or a handle.
berth_code_t berth_variable_fail_update(const berth_variable_t *variable,
                                        berth_container_t *container,
                                        bool is_ref, berth_error_t *err);

// Room for what TensorFlow's lookup says about a variable's name.
enum { BERTH_LOOKUP_TEXT = 512 };

// Writes what it says of |variable| when that has no value, and returns |text|.
// It knows the C++ name of the class.
const char *berth_variable_lookup_text(const berth_variable_t *variable,
                                       berth_container_t *container,
                                       char text[BERTH_LOOKUP_TEXT]);

#endif  // BERTH_STATE_VARIABLE_H_
