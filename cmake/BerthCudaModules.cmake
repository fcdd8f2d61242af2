# GPU modules that are one family of kernels for some types: berth_cuda_modules(out).
#
# A card compiles all of a module when it first needs one of its kernels, so that modules
# are small. A row says which families and types make one; the source, of a few lines, is
# written into the build tree:
#
#   unary_int   unary   i8 …    #define BERTH_T i8, #include "cuda/ops/unary_type.inc", …
#   cast_f16    cast    f16 …   #include "cuda/ops/cast.cuh", BERTH_CASTS_f16 …
#
# Those named terms_ are no kernels but text that kernels are written of (src/cuda/ops/chain_text.c).
#
# The name of a module is part of how kernels are found (src/cuda/ops/elementwise.c,
# src/cuda/ops/cast.c).
set(BERTH_CUDA_MODULES
    "unary_f32        unary         f32"
    "unary_f64        unary         f64"
    "unary_f16        unary         f16"
    "unary_bf16       unary         bf16"
    "unary_int        unary         i8 i16 i32 i64 u8 u16 u32 u64 b8"
    "unary_complex    unary         c64 c128"
    "unary_curve_f32  unary+CURVES  f32"
    "unary_curve_f64  unary+CURVES  f64"
    "unary_curve_f16  unary+CURVES  f16"
    "unary_curve_bf16 unary+CURVES  bf16"
    "binary_f32       binary        f32"
    "binary_f64       binary        f64"
    "binary_f16       binary        f16"
    "binary_bf16      binary        bf16"
    "binary_int8      binary        i8 u8 b8"
    "binary_int16     binary        i16 u16"
    "binary_int32     binary        i32 u32"
    "binary_int64     binary        i64 u64"
    "binary_complex   binary        c64 c128"
    "binary_rest_f32  binary+REST   f32"
    "binary_rest_f64  binary+REST   f64"
    "binary_rest_f16  binary+REST   f16"
    "binary_rest_bf16 binary+REST   bf16"
    "chain_f32        chain         f32"
    "chain_curve_f32  chain+CURVES  f32"
    "terms_f32        terms         f32"
    "terms_f16        terms         f16"
    "terms_bf16       terms         bf16"
    "train_f32        train         f32"
    "train_joined_f32 train+JOINED  f32"
    "train_f64        train         f64"
    "train_f16        train         f16"
    "train_complex    train         c64 c128"
    "scatter_f32      scatter       f32"
    "scatter_f64      scatter       f64"
    "scatter_half     scatter       f16 bf16"
    "scatter_int      scatter       i8 i16 i32 i64 u8 u16 u32 u64"
    "scatter_complex  scatter       c64 c128"
    "special_f32      special       f32"
    "special_f64      special       f64"
    "special_half     special       f16 bf16"
    "special_int      special       i8 i16 i32 i64 u8 u16"
    "special_complex  special       c64 c128"
    "arc_f32          special+ARCS  f32"
    "arc_f64          special+ARCS  f64"
    "arc_half         special+ARCS  f16 bf16"
    "rare_f32         special+RARE  f32"
    "rare_f64         special+RARE  f64"
    "rare_half        special+RARE  f16"
    "scan_f32         scan          f32"
    "scan_f64         scan          f64"
    "scan_half        scan          f16 bf16"
    "scan_int         scan          i32 i64"
    "linear_f32       linear        f32"
    "linear_f64       linear        f64"
    "linear_complex   linear        c64 c128"
    "segment_f32      segment       f32"
    "segment_f64      segment       f64"
    "segment_half     segment       f16 bf16"
    "cast_f32         cast          f32"
    "cast_f64         cast          f64"
    "cast_f16         cast          f16 bf16 e5m2 e4m3"
    "cast_complex     cast          c64 c128"
    "cast_int         cast          i8 i16 i32 i64 u8 u16 u32 u64 b8 i4 u4")

# Stores in |text| the source of the module |name|: |family|, perhaps with "+PART", of |types|.
function(berth_cuda_module_text text name family types)
  set(source "// ${name}.cu - Made by cmake/BerthCudaModules.cmake.\n")
  if(family MATCHES "^(.*)\\+(.*)$")
    set(family ${CMAKE_MATCH_1})
    string(APPEND source "#define BERTH_${CMAKE_MATCH_2}\n")
  endif()
  if(family STREQUAL "cast")
    string(APPEND source "#include \"cuda/ops/cast.cuh\"\n")
    foreach(type ${types})
      string(APPEND source "BERTH_CASTS_${type}\n")
    endforeach()
  else()
    foreach(type ${types})
      string(APPEND source "#define BERTH_T ${type}\n"
                           "#include \"cuda/ops/${family}_type.inc\"\n")
    endforeach()
  endif()
  set(${text} "${source}" PARENT_SCOPE)
endfunction()

# Writes the modules into |folder| and stores their paths in |out|.
function(berth_cuda_modules out folder)
  set(paths)
  foreach(row ${BERTH_CUDA_MODULES})
    separate_arguments(types UNIX_COMMAND "${row}")
    list(POP_FRONT types name family)
    berth_cuda_module_text(text ${name} ${family} "${types}")
    file(CONFIGURE OUTPUT ${folder}/${name}.cu CONTENT "${text}" @ONLY)
    list(APPEND paths ${folder}/${name}.cu)
  endforeach()
  set(${out} ${paths} PARENT_SCOPE)
endfunction()
