// dtype_test.c - Names and sizes of data types.
#include "tensor/dtype.h"

#include "harness.h"

TEST(dtype, names_are_those_of_messages) {
  EXPECT_STR(berth_dtype_name(BERTH_FLOAT), "float");
  EXPECT_STR(berth_dtype_name(BERTH_HALF), "half");
  EXPECT_STR(berth_dtype_name(berth_dtype_ref(BERTH_INT64)), "int64_ref");
  EXPECT_STR(berth_dtype_name(BERTH_FLOAT8_E4M3B11FNUZ), "float8_e4m3b11fnuz");
  EXPECT_STR(berth_dtype_name(BERTH_INVALID), "INVALID");
  EXPECT_STR(berth_dtype_name(BERTH_REF), "INVALID");
  EXPECT_STR(berth_dtype_name((berth_dtype_t)134), "INVALID");
  EXPECT_STR(berth_dtype_enum_name(BERTH_QUINT8), "DT_QUINT8");
  EXPECT_STR(berth_dtype_enum_name(berth_dtype_ref(BERTH_FLOAT)),
             "DT_FLOAT_REF");
  EXPECT_STR(berth_dtype_enum_name((berth_dtype_t)34), "DT_INVALID");
}

TEST(dtype, every_name_leads_back) {
  for (int i = 1; i < BERTH_DTYPE_COUNT; ++i) {
    berth_dtype_t dtype = (berth_dtype_t)i, ref = berth_dtype_ref(dtype);
    EXPECT_EQ(berth_dtype_find(berth_dtype_name(dtype)), i);
    EXPECT_EQ(berth_dtype_find(berth_dtype_enum_name(dtype)), i);
    EXPECT_EQ(berth_dtype_find(berth_dtype_name(ref)), i + BERTH_REF);
    EXPECT_EQ(berth_dtype_find(berth_dtype_enum_name(ref)), i + BERTH_REF);
    EXPECT_TRUE(berth_dtype_is_valid(i));
    EXPECT_TRUE(berth_dtype_is_valid(i + BERTH_REF));
    EXPECT_TRUE(berth_dtype_size(dtype) > 0);
  }
}

TEST(dtype, python_names_are_found) {
  EXPECT_EQ(berth_dtype_find("float32"), BERTH_FLOAT);
  EXPECT_EQ(berth_dtype_find("float64_ref"), BERTH_DOUBLE + BERTH_REF);
  EXPECT_EQ(berth_dtype_find("float16"), BERTH_HALF);
  EXPECT_EQ(berth_dtype_find("float3"), BERTH_INVALID);
  EXPECT_EQ(berth_dtype_find("float321"), BERTH_INVALID);
  EXPECT_EQ(berth_dtype_find("Float"), BERTH_INVALID);
  EXPECT_EQ(berth_dtype_find(""), BERTH_INVALID);
  EXPECT_EQ(berth_dtype_find(NULL), BERTH_INVALID);
}

TEST(dtype, sizes) {
  EXPECT_EQ(berth_dtype_size(BERTH_FLOAT), 4);
  EXPECT_EQ(berth_dtype_size(BERTH_COMPLEX128), 16);
  EXPECT_EQ(berth_dtype_size(BERTH_STRING), 24);
  EXPECT_EQ(berth_dtype_size(BERTH_INT4), 1);
  EXPECT_EQ(berth_dtype_size(berth_dtype_ref(BERTH_DOUBLE)), 8);
  EXPECT_EQ(berth_dtype_size(BERTH_INVALID), 0);
  EXPECT_EQ(berth_dtype_size((berth_dtype_t)-1), 0);
}

TEST(dtype, only_numbers_are_plain) {
  for (int i = 1; i < BERTH_DTYPE_COUNT; ++i) {
    bool owns = i == BERTH_STRING || i == BERTH_RESOURCE || i == BERTH_VARIANT;
    EXPECT_EQ(berth_dtype_is_plain((berth_dtype_t)i), !owns);
  }
  EXPECT_FALSE(berth_dtype_is_plain(BERTH_INVALID));
  EXPECT_FALSE(berth_dtype_is_valid(0));
  EXPECT_FALSE(berth_dtype_is_valid(BERTH_DTYPE_COUNT));
  EXPECT_FALSE(berth_dtype_is_valid(BERTH_REF));
  EXPECT_FALSE(berth_dtype_is_valid(-3));
}
