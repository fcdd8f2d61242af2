// terms.h - The texts that kernels are written of while a program runs.
//
// Thread-safe.
#ifndef BERTH_CUDA_CODE_TERMS_H_
#define BERTH_CUDA_CODE_TERMS_H_

#include "base/error.h"

// Stores the functions of type |type|: 0 float, 1 half, 2 bfloat16. Unpacked
// once; borrowed, lives as long as the process. Fails as berth_cuda_image().
BERTH_NODISCARD berth_code_t berth_cuda_terms(int type, const char **out_text,
                                              berth_error_t *err);

#endif  // BERTH_CUDA_CODE_TERMS_H_
