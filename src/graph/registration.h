// registration.h - Which of TensorFlow's registrations covers a node.
//
// The schema table says what TensorFlow registers for each type of device
// (berth_registration_t); whether one covers a node depends on the node's
// attributes.
//
// Pure functions.
#ifndef BERTH_GRAPH_REGISTRATION_H_
#define BERTH_GRAPH_REGISTRATION_H_

#include "graph/graph.h"

// True when |registration| covers |node|'s types and label.
bool berth_registration_fits(const berth_node_t *node,
                             const berth_registration_t *registration);

// Returns the registration for |device| that covers |node|: one of its own,
// else one of the default ones, else NULL.
const berth_registration_t *berth_registration_find(
    const berth_node_t *node, berth_registered_for_t device);

// Returns the types that attribute |index| of |node| holds; a bit that no
// constraint allows for an attribute without any.
berth_dtype_set_t berth_node_attr_types(const berth_node_t *node, int index);

// Returns the label of the kernels that |node| wants, "" almost always.
const char *berth_node_kernel_label(const berth_node_t *node);

#endif  // BERTH_GRAPH_REGISTRATION_H_
