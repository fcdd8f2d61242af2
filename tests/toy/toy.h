// toy.h - A backend of type GPU that is made of nothing.
//
// It shows what a backend must have, and that Berth takes it as it takes any
// other: the machine has one more card, whose memory is the host's and whose
// streams do everything at once. docs/howto/add-a-backend.md walks through it.
#ifndef BERTH_TESTS_TOY_TOY_H_
#define BERTH_TESTS_TOY_TOY_H_

#include "device/backend.h"

// What a program adds, before anything else, to have the card:
// berth_backends_add(&toy_backend, &err).
extern const berth_backend_t toy_backend;

// How many kernels and copies have been queued on it.
extern int toy_kernels_queued, toy_copies_queued;

// Adds its kernels to the registry (kernels.c).
berth_code_t toy_add_kernels(berth_error_t *err);

#endif  // BERTH_TESTS_TOY_TOY_H_
