// message_internal.h - What placement prints: log lines, errors, their parts.
//
// All texts are TensorFlow's, of the version that the style stands for. What
// appends cannot fail: a text that memory was short for is told by its
// berth_str_t.
//
// Threads: as the placer.
#ifndef BERTH_PLACE_MESSAGE_INTERNAL_H_
#define BERTH_PLACE_MESSAGE_INTERNAL_H_

#include "place/place_internal.h"

// ---- Log (log.c) ----

// Logs |node|'s device when the options ask for it.
void berth_place_log_node(const berth_placer_t *placer, int32_t node);

// Logs the ends that the options name, likewise.
void berth_place_log_ends(const berth_placer_t *placer);

// Logs that |node|'s request gives way to that of |source|, whose reference or
// resource it takes.
void berth_place_log_ignored_request(const berth_placer_t *placer,
                                     int32_t source, int32_t node,
                                     int32_t source_request, int32_t request);

// Logs that |node| could not join |group|, as |why| says.
void berth_place_log_ignored_group(const berth_placer_t *placer, int32_t node,
                                   const char *group, size_t group_size,
                                   const berth_error_t *why);

// Warns that the resources of the set of |root| move to |candidates|.
void berth_place_log_moved(berth_placer_t *placer, int32_t root,
                           const berth_candidates_t *candidates);

// Writes what is still buffered, in styles that do not leave that to exit.
void berth_place_log_flush(const berth_placer_t *placer);

// ---- Errors (error.c) ----

// Those with a code describe a failure in |err| and return its code:
// BERTH_INVALID_ARGUMENT, but BERTH_INTERNAL where an earlier device is at odds
// (lost, unsupported, mismatch).

// No kernel at all for |node|.
berth_code_t berth_place_error_no_kernel(berth_placer_t *placer, int32_t node,
                                         berth_error_t *err);
// |node| asks for something that is no device name.
berth_code_t berth_place_error_malformed(berth_placer_t *placer, int32_t node,
                                         berth_error_t *err);
// The earlier device of |node| is not one of the devices.
berth_code_t berth_place_error_lost(berth_placer_t *placer, int32_t node,
                                    berth_error_t *err);
// The earlier device of |node| cannot run it.
berth_code_t berth_place_error_unsupported(berth_placer_t *placer, int32_t node,
                                           berth_error_t *err);
// |source| and |node|, joined by an edge, have |what| names |a| and |b|.
berth_code_t berth_place_error_edge(berth_placer_t *placer, int32_t source,
                                    int32_t node, const char *what, int32_t a,
                                    int32_t b, berth_error_t *err);
// Puts `Cannot colocate nodes …: ` before the text of |err|.
void berth_place_error_merge(const berth_placer_t *placer, int32_t x, int32_t y,
                             berth_error_t *err);
// No device type supports both |x| and |y|, whose roots are given.
berth_code_t berth_place_error_no_type(berth_placer_t *placer, int32_t x,
                                       int32_t x_root, int32_t y,
                                       int32_t y_root, berth_error_t *err);
// Puts before the text of |err| that an edge needed the merge.
void berth_place_error_joined(const berth_placer_t *placer, berth_error_t *err);
// Nothing fits |node|.
berth_code_t berth_place_error_no_candidate(berth_placer_t *placer,
                                            int32_t node, berth_error_t *err);
// |node| was on another device than |device| before.
berth_code_t berth_place_error_mismatch(berth_placer_t *placer, int32_t node,
                                        int device, int before,
                                        berth_error_t *err);
// Appends which node it was: `\n\t [[{{node x}}]]`.
void berth_place_error_attach(const berth_placer_t *placer, int32_t node,
                              berth_error_t *err);

// Appends name |id| as |style| writes names.
void berth_place_print_name(const berth_placer_t *placer, int32_t id,
                            berth_str_t *str);

// Appends TensorFlow's block about the set of |root| (debug.c).
void berth_place_print_debug(berth_placer_t *placer, int32_t root,
                             berth_str_t *str);

// Appends `T=DT_FLOAT, …` of every attribute, sorted by name (debug.c).
void berth_place_print_attrs(const berth_node_t *node, berth_str_t *str);

// Appends a line for each kernel registered for |schema| (debug.c). Those for
// GPUs are listed where there is one among |devices|: to whoever has none they
// offer what cannot be had.
void berth_place_print_kernels(const berth_op_schema_t *schema,
                               const berth_place_device_t *devices, int count,
                               berth_str_t *str);

// Appends `Node: b = Const[…, _device="/gpu:2"]()`, as old versions did.
void berth_place_print_node_classic(const berth_placer_t *placer,
                                    const berth_node_t *node, berth_str_t *str);

#endif  // BERTH_PLACE_MESSAGE_INTERNAL_H_
