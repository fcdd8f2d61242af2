"""api_ops - Public functions that make one op and nothing else: the op, and its names."""

BOTH = '''
    AsString: as_string strings.as_string
    Cholesky: linalg.cholesky
    Conv: conv
    DecodeJpeg: image.decode_jpeg
    DecodePng: image.decode_png
    Diag: linalg.tensor_diag
    EncodeJpeg: image.encode_jpeg
    Invert: bitwise.invert
    LeftShift: bitwise.left_shift
    MatrixDeterminant: linalg.det
    MatrixInverse: linalg.inv
    Qr: linalg.qr
    RGBToHSV: image.rgb_to_hsv
    RightShift: bitwise.right_shift
    SpaceToBatchND: space_to_batch_nd
    StringToHashBucketFast: strings.to_hash_bucket_fast
'''
V1 = '''
    ArgMax: arg_max
    ArgMin: arg_min
    AsString: dtypes.as_string
    BatchToSpaceND: batch_to_space_nd manip.batch_to_space_nd
    Cholesky: cholesky
    Conv3DBackpropFilterV2: nn.conv3d_backprop_filter nn.conv3d_backprop_filter_v2
    FFT: fft spectral.fft
    FFT2D: fft2d spectral.fft2d
    IFFT: ifft spectral.ifft
    MatchingFiles: matching_files
    MatrixDeterminant: matrix_determinant
    MatrixInverse: matrix_inverse
    Qr: qr
    ResizeArea: image.resize_area
    ReverseV2: reverse_v2
    SpaceToBatchND: manip.space_to_batch_nd
    StringToHashBucketFast: string_to_hash_bucket_fast
    WriteFile: write_file
'''
