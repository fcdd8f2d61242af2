// literal.h - Tensors written on the command line.
//
//   3.5    true    "text"    [1, 2, 3]    [[1, 2], [3, 4]]    []
//
// Lists nest to any rank a tensor may have, and must be rectangular. Numbers
// are those of C and Python: 1, -2.5e3, 0x1f, nan, inf. Texts stand in either
// kind of quotes, with \n, \t, \\, \" and \x41; for a scalar text the quotes
// may be left out.
#ifndef BERTH_CLI_LITERAL_H_
#define BERTH_CLI_LITERAL_H_

#include <berth/berth.h>

// Reads |text| as a tensor of |dtype| and stores it in |*out_tensor|.
// BERTH_INVALID_ARGUMENT says what is wrong and where.
BERTH_NODISCARD berth_code_t cli_literal_parse(const char *text,
                                               berth_dtype_t dtype,
                                               berth_tensor_t **out_tensor,
                                               berth_error_t *err);

#endif  // BERTH_CLI_LITERAL_H_
