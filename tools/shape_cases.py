"""Writes tests/data/golden/shapes.txt: what TensorFlow infers about shapes.

usage: python tools/shape_cases.py > tests/data/golden/shapes.txt

Needs an interpreter with tensorflow. Each case is one op on inputs of given
types, shapes and values; the result is the shapes of its outputs, or the error.
The columns, separated by tabs:

  op
  attributes   name=kind:value ...; kinds i f b t s sh li lt ls lsh
  inputs       float[2,?]  float?  int32:5  int32:[1,2]  ref-float[2]
               handle-float[2]; several in one argument stand in ( )
  outputs      [2,3] [?] ? ...   or   ! message
"""
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf
from tensorflow.python.client import pywrap_tf_session as c

v1 = tf.compat.v1

CASES = r'''
Abs || float[2,3]
Abs || float?
Neg || float[2,?]
Cast | DstT=t:int32 | float[2]
Identity || float[?,3]
IdentityN || ( float[2] int32? )
StopGradient || float[4]
ZerosLike || float[4,?]
OnesLike || float[4]
Placeholder | dtype=t:float shape=sh:2,? |
Placeholder | dtype=t:float shape=sh:-2 |
Placeholder | dtype=t:float |
PlaceholderWithDefault | shape=sh:?,3 | float[2,3]
PlaceholderWithDefault | shape=sh:4,3 | float[2,3]
AddV2 || float[2,3] float[3]
AddV2 || float[2,3] float[2]
AddV2 || float[2,1] float[1,3]
AddV2 || float[2,?] float[3]
AddV2 || float[?] float[1]
AddV2 || float[?] float[?]
AddV2 || float? float[2]
AddV2 || float[] float[2,3]
AddV2 || float[0] float[1]
AddV2 || float[0] float[3]
Sub || float[5,1,3] float[4,1]
Mul || float[2] float[3]
Maximum || float[2] float[2]
Less || float[2,3] float[3]
Less || float[2,3] float[4]
Equal || float[2] float[3]
Equal | incompatible_shape_error=b:false | float[2] float[3]
Equal | incompatible_shape_error=b:false | float[2] float[2]
LogicalAnd || bool[2] bool[2,1]
LogicalNot || bool[2]
ReluGrad || float[2,?] float[?,3]
ReluGrad || float[2] float[3]
TanhGrad || float[2] float[3]
LeakyReluGrad || float[2,?] float[?,3]
SeluGrad || float[2] float[3]
SoftsignGrad || float[2] float?
InvGrad || float[2] float[3]
StridedSliceGrad || int32:[4,5] int32:[1] int32:[2] int32:[1] float[1,5]
StridedSliceGrad || int32[2] int32:[1] int32:[2] int32:[1] float[1,5]
StridedSliceGrad || int32? int32:[1] int32:[2] int32:[1] float[1,5]
StridedSliceGrad || int32[2,2] int32:[1] int32:[2] int32:[1] float[1,5]
MirrorPadGrad | mode=s:REFLECT | float[4,6] int32[2,2]
MirrorPadGrad | mode=s:REFLECT | float[4,6] int32?
MirrorPadGrad | mode=s:REFLECT | float[4,6] int32[3,2]
MirrorPadGrad | mode=s:REFLECT | float[4,6] int32[2,3]
MirrorPadGrad | mode=s:REFLECT | float[4,6] int32[2]
AddN || ( float[2,?] float[?,3] )
AddN || ( float[2,3] float[2,4] )
AddN || ( float[2,3] float[2] )
AddN || ( float? float[2] )
AddN || ( float[2] float[2] float[3] )
Select || bool[2] float[2] float[2]
Select || bool[] float[2] float[2]
Select || bool[2] float[2,3] float[2,3]
Select || bool[3] float[2,3] float[2,3]
Select || bool[2,2] float[2,3] float[2,3]
Select || bool[2] float[2] float[3]
Select || bool? float[2] float[?]
Select || bool[?] float[?,3] float[2,3]
SelectV2 || bool[2,1] float[3] float[]
SelectV2 || bool[2] float[3] float[]
SelectV2 || bool? float[3] float[]
MatMul || float[2,3] float[3,4]
MatMul || float[2,3] float[4,2]
MatMul || float[2] float[3,4]
MatMul || float[2,3] float[3]
MatMul || float? float[3,4]
MatMul || float[?,3] float?
MatMul | transpose_a=b:true | float[3,2] float[3,4]
MatMul | transpose_b=b:true | float[2,3] float[4,3]
MatMul | transpose_a=b:true transpose_b=b:true | float[3,2] float[4,3]
BatchMatMul || float[5,2,3] float[5,3,4]
BatchMatMul || float[5,2,3] float[6,3,4]
BatchMatMul || float[2,3] float[4,2]
BatchMatMul || float[2] float[4,2]
BatchMatMul || float? float[4,2]
BatchMatMul | adj_x=b:true | float[5,3,2] float[5,3,4]
BatchMatMulV2 || float[5,1,2,3] float[6,3,4]
BatchMatMulV2 || float[5,2,3] float[6,3,4]
BatchMatMulV2 || float[5,2,3] float[4,2]
BatchMatMulV2 || float? float[4,2]
BatchMatMulV2 || float[2] float[4,2]
BatchMatMulV2 || float[?,2,3] float[5,3,4]
BatchMatMulV2 | adj_y=b:true | float[2,3] float[4,3]
BiasAdd || float[2,3] float[3]
BiasAdd || float[2,3] float[4]
BiasAdd || float[3] float[3]
BiasAdd || float? float[3]
BiasAdd || float[2,?] float[3]
BiasAdd || float[2,3] float[3,1]
BiasAdd | data_format=s:NCHW | float[2,3,4,5] float[3]
BiasAdd | data_format=s:NCHW | float[2,3,4,5] float[5]
BiasAddGrad || float[2,3]
BiasAddGrad | data_format=s:NCHW | float[2,3,4,5]
SobolSample || int32:3 int32:4 int32:0
SobolSample || int32:3 int32[] int32[]
SobolSample || int32[] int32:4 int32[]
SobolSample || int32:-1 int32:4 int32:0
SobolSample || int32[1] int32:4 int32:0
SobolSample || int32? int32[2] int32:0
SobolSample || int32? int32? int32[1]
Softmax || float[2,3]
Softmax || float[]
Softmax || float?
LogSoftmax || float[?,3]
Sum || float[2,3,4] int32:0
Sum || float[2,3,4] int32:[0,2]
Sum || float[2,3,4] int32:-1
Sum || float[2,3,4] int32:3
Sum || float[2,3,4] int32:-4
Sum || float[2,3,4] int32?
Sum || float[2,3,4] int32[2]
Sum || float[2,3,4] int32:[]
Sum || float? int32:0
Sum | keep_dims=b:true | float[2,3,4] int32:1
Sum | keep_dims=b:true | float[2,3,4] int32?
Sum | keep_dims=b:true | float? int32?
Mean || float[2,?] int32:[0,1]
Max || float[2,?] int64:0
All || bool[2,3] int32:1
ArgMax || float[2,3] int32:1
ArgMax || float[2,3] int32:0
ArgMax || float[2,3] int32:-1
ArgMax || float[2,3] int32:2
ArgMax || float[2,3] int32?
ArgMax || float[] int32:0
ArgMax || float? int32:0
ArgMin || float[2,3] int32:-3
Shape || float[2,3]
Shape || float?
ShapeN || ( float[2,3] float? )
Size || float[2]
Rank || float?
Reshape || float[2,3] int32:[3,2]
Reshape || float[2,3] int32:[-1]
Reshape || float[2,3] int32:[-1,2]
Reshape || float[2,3] int32:[-1,4]
Reshape || float[2,3] int32:[4,2]
Reshape || float[2,?] int32:[-1,4]
Reshape || float[?,4] int32:[-1,4]
Reshape || float[2,3] int32:[-1,-1]
Reshape || float[2,3] int32?
Reshape || float[2,3] int32[2]
Reshape || float? int32:[2,-1]
Reshape || float? int32:[]
Reshape || float[1] int32:[]
Reshape || float[2,3] int32:[-2,3]
Reshape || float[2,3] int32:5
Reshape || float[0,3] int32:[0,5]
Reshape || float[0,3] int32:[-1,3]
Reshape || float[?] int32:[2,3]
ExpandDims || float[2,3] int32:0
ExpandDims || float[2,3] int32:-1
ExpandDims || float[2,3] int32:2
ExpandDims || float[2,3] int32:3
ExpandDims || float[2,3] int32:-4
ExpandDims || float[2,3] int32?
ExpandDims || float? int32:1
ExpandDims || float[2,3] int32:[1]
ExpandDims || float[2,3] int32:[1,2]
Squeeze || float[1,2,1]
Squeeze || float[1,?]
Squeeze || float?
Squeeze | squeeze_dims=li:0 | float[1,2,1]
Squeeze | squeeze_dims=li:-1 | float[1,2,1]
Squeeze | squeeze_dims=li:1 | float[1,2,1]
Squeeze | squeeze_dims=li:3 | float[1,2,1]
Squeeze | squeeze_dims=li:-4 | float[1,2,1]
Squeeze | squeeze_dims=li:1 | float[1,?,1]
Transpose || float[2,3,4] int32:[2,0,1]
Transpose || float[2,3,4] int32:[2,0]
Transpose || float[2,3,4] int32:[3,0,1]
Transpose || float[2,3,4] int32?
Transpose || float[2,3,4] int32[3]
Transpose || float[2,3,4] int32[2]
Transpose || float? int32:[1,0]
Transpose || float[2] int32:0
Transpose || float? int32[3]
Transpose || float[2,3] int32:[1,-2]
DiagPart || float[3,3]
DiagPart || float[2,3,2,3]
DiagPart || float[?,3,2,?]
DiagPart || float[?,?]
DiagPart || float?
DiagPart || float[]
DiagPart || float[3]
DiagPart || float[2,3,2]
DiagPart || float[2,3]
DiagPart || float[2,3,?,4]
DiagPart || float[0,0]
ConcatV2 || ( float[2,3] float[4,3] ) int32:0
ConcatV2 || ( float[2,3] float[2,4] ) int32:0
ConcatV2 || ( float[2,3] float[2,4] ) int32:-1
ConcatV2 || ( float[2,3] float[2] ) int32:0
ConcatV2 || ( float[2,3] float[2,3] ) int32:2
ConcatV2 || ( float[2,3] float[2,3] ) int32:-3
ConcatV2 || ( float[2,3] float[2,3] ) int32?
ConcatV2 || ( float? float[2,3] ) int32:0
ConcatV2 || ( float? float? ) int32:0
ConcatV2 || ( float[2,?] float[?,3] ) int32:0
ConcatV2 || ( float[] float[] ) int32:0
ConcatV2 || ( float[2] float[2] ) int32:[0]
ConcatV2 || ( float? float? ) int32:2
Concat || int32:1 ( float[2,3] float[2,4] )
Concat || int32:-1 ( float[2,3] float[2,4] )
Concat || int32? ( float[2,3] float[2,4] )
Split | num_split=i:3 | int32:1 float[2,6]
Split | num_split=i:4 | int32:1 float[2,6]
Split | num_split=i:2 | int32:-2 float[2,6]
Split | num_split=i:2 | int32? float[2,6]
Split | num_split=i:2 | int32:2 float[2,6]
Split | num_split=i:2 | int32:0 float?
Split | num_split=i:2 | int32:0 float[?,3]
SplitV | num_split=i:2 | float[5,2] int32:[2,3] int32:0
SplitV | num_split=i:2 | float[5,2] int32:[2,-1] int32:0
SplitV | num_split=i:2 | float[5,2] int32:[2,2] int32:0
SplitV | num_split=i:2 | float[5,2] int32? int32:0
SplitV | num_split=i:2 | float? int32:[2,3] int32:0
StringFormat | template=s:%s | ( float[2] )
StringJoin || ( string[] string[] )
StringJoin || ( string[] string[2] string[?] )
StringJoin || ( string? string[] )
StringJoin || ( string[2] string[3] )
Pack || ( float[2] float[2] )
Pack | axis=i:1 | ( float[2] float[2] float[2] )
Pack | axis=i:-1 | ( float[2,3] float[2,3] )
Pack | axis=i:2 | ( float[2] float[2] )
Pack | axis=i:-3 | ( float[2] float[2] )
Pack || ( float[2] float[3] )
Pack || ( float[2] float[2,1] )
Pack || ( float? float[2] )
Pack || ( float? float? )
Unpack | num=i:2 | float[2,3]
Unpack | num=i:3 axis=i:1 | float[2,3]
Unpack | num=i:3 | float[2,3]
Unpack | num=i:2 axis=i:2 | float[2,3]
Unpack | num=i:2 | float?
Unpack | num=i:2 | float[?,3]
Unpack | num=i:2 | float[]
Slice || float[4,5] int32:[1,2] int32:[2,3]
Slice || float[4,5] int32:[1,2] int32:[-1,3]
Slice || float[4,5] int32:[1,2] int32:[4,3]
Slice || float[4,5] int32:[1] int32:[2]
Slice || float[4,5] int32[2] int32:[2,3]
Slice || float[4,5] int32[2] int32:[2,-1]
Slice || float[4,5] int32:[1,2] int32[2]
Slice || float? int32:[1,2] int32:[2,3]
Slice || float? int32? int32?
Slice || float[4,5] int32:[1,2] int32:[-2,3]
Slice || float[4,?] int32:[1,2] int32:[-1,-1]
Slice || float[4,5] int32:[1,2] int32:[2]
StridedSlice || float[4,5] int32:[1,2] int32:[3,4] int32:[1,1]
StridedSlice || float[4,5] int32:[1] int32:[3] int32:[1]
StridedSlice | shrink_axis_mask=i:1 | float[4,5] int32:[1] int32:[2] int32:[1]
StridedSlice | shrink_axis_mask=i:1 | float[4,5] int32:[4] int32:[5] int32:[1]
StridedSlice | begin_mask=i:1 end_mask=i:1 | float[4,5] int32:[0] int32:[0] int32:[-1]
StridedSlice | new_axis_mask=i:1 | float[4,5] int32:[0] int32:[0] int32:[1]
StridedSlice | ellipsis_mask=i:1 | float[4,5,6] int32:[0,1] int32:[0,3] int32:[1,1]
StridedSlice | ellipsis_mask=i:1 shrink_axis_mask=i:2 | float[4,5,6] int32:[0,-1] int32:[0,0] int32:[1,1]
StridedSlice || float[4,5] int32:[0,0,0] int32:[1,1,1] int32:[1,1,1]
StridedSlice || float[4,5] int32:[0] int32:[2] int32:[0]
StridedSlice || float[4,5] int32[2] int32[2] int32:[1,1]
StridedSlice || float? int32:[0] int32:[2] int32:[1]
StridedSlice || float[?,5] int32:[0] int32:[2] int32:[1]
StridedSlice || float[?,5] int32:[0] int32:[-1] int32:[1]
StridedSlice || float[?,5] int32:[1,1] int32:[3,-1] int32:[1,2]
StridedSlice | begin_mask=i:1 end_mask=i:1 | float[?,5] int32:[0,1] int32:[0,3] int32:[1,1]
StridedSlice | shrink_axis_mask=i:1 | float[?,5] int32:[2] int32:[3] int32:[1]
StridedSlice || float[4] int32[1] int32[1] int32[1]
StridedSlice || float[4] int32? int32? int32?
StridedSlice || float[10] int32:[8] int32:[2] int32:[-3]
StridedSlice || float[10] int32:[-3] int32:[100] int32:[2]
StridedSlice | ellipsis_mask=i:3 | float[4,5] int32:[0,0] int32:[1,1] int32:[1,1]
Tile || float[2,3] int32:[2,1]
Tile || float[2,3] int32:[2]
Tile || float[2,?] int32:[2,3]
Tile || float[2,3] int32?
Tile || float? int32:[2,3]
Tile || float[] int32:[]
Fill || int32:[2,3] float[]
Fill || int32? float[]
Fill || int32[2] float[]
Fill || int32:[2,-1] float[]
Fill || int32:[2,3] float[1]
Fill || int32:3 float[]
Range || int32:0 int32:5 int32:2
Range || int32:5 int32:0 int32:-2
Range || int32:0 int32:5 int32:0
Range || int32:5 int32:0 int32:1
Range || int32:0 int32:5 int32:-1
Range || int32? int32:5 int32:1
Range || float:0.0 float:1.0 float:0.3
Range || int32:[0] int32:5 int32:1
Gather || float[4,5] int32[2,3]
Gather || float[4,5] int32[]
Gather || float[] int32[2]
Gather || float? int32[2]
GatherV2 || float[4,5] int32[2,3] int32:0
GatherV2 || float[4,5] int32[2,3] int32:1
GatherV2 || float[4,5] int32[2,3] int32:-1
GatherV2 || float[4,5] int32[2,3] int32:2
GatherV2 || float[4,5] int32[2,3] int32:-3
GatherV2 || float[4,5] int32[2,3] int32?
GatherV2 || float? int32[2,3] int32:0
GatherV2 || float[4,5] int32? int32:0
GatherV2 || float[4,5] int32[2] int32:[0]
GatherV2 | batch_dims=i:1 | float[2,4,5] int32[2,3] int32:1
GatherNd || float[4,5,6] int32[2,2]
GatherNd || float[4,5,6] int32[2,4]
GatherNd || float[4,5,6] int32[2,?]
GatherNd || float? int32[2,2]
ApproxTopK | k=i:2 | float[3,4]
ApproxTopK | k=i:2 reduction_dimension=i:0 | float[3,4]
ApproxTopK | k=i:2 reduction_dimension=i:-2 | float[3,?]
ApproxTopK | k=i:2 reduction_dimension=i:2 | float[3,4]
ApproxTopK | k=i:5 | float[3,4]
ApproxTopK | k=i:1 | float[]
TopKV2 || float[2,4] int32:3
TopKV2 || float[2,?] int32:3
TopKV2 || float[2,4] int32?
TopKV2 || float? int32:3
TopKV2 || float[] int32:3
TopKV2 || float[2,2] int32:3
TopKV2 || float[2,2] int32:-1
TopKV2 || float[2,2] int32:[1]
OneHot || int32[2,3] int32:4 float[] float[]
OneHot | axis=i:0 | int32[2,3] int32:4 float[] float[]
OneHot | axis=i:1 | int32[2,3] int32:4 float[] float[]
OneHot || int32[2,3] int32? float[] float[]
OneHot || int32? int32:4 float[] float[]
OneHot || int32[2,3] int32:-1 float[] float[]
OneHot | axis=i:-2 | int32[2,3] int32:4 float[] float[]
OneHot | axis=i:5 | int32[2,3] int32:4 float[] float[]
OneHot || int32[2,3] int32:4 float[1] float[]
RandomUniform | dtype=t:float | int32:[2,3]
RandomUniform | dtype=t:float | int32?
RandomUniform | dtype=t:float | int32[2]
RandomUniform | dtype=t:float | int32:[2,-3]
RandomStandardNormal | dtype=t:float | int32:[2,3]
TruncatedNormal | dtype=t:float | int64:[2,3]
RandomUniformInt || int32:[2,3] int32:0 int32:5
RandomUniformInt || int32:[2,3] int32:[0] int32:5
Qr || float[2,3]
Qr || float[5,?,3]
Qr | full_matrices=b:true | float[5,4,3]
Qr || float[3]
Qr || float?
Svd || float[2,3]
Svd || float[5,?,3]
Svd | full_matrices=b:true | float[5,4,3]
Svd | compute_uv=b:false | float[5,4,3]
Svd | compute_uv=b:false | float?
Svd || float[3]
Svd || float?
SelfAdjointEigV2 || float[5,?,3]
SelfAdjointEigV2 || float[2,3]
SelfAdjointEigV2 | compute_v=b:false | float[3,3]
SelfAdjointEigV2 || float?
Eig | Tout=t:complex64 | float[5,?,3]
Eig | Tout=t:complex64 | float[2,3]
Eig | Tout=t:complex64 compute_v=b:false | float[3,3]
Eig | Tout=t:complex64 | float?
Lu || float[5,?,3]
Lu || float[2,3]
Lu || float[3]
Lu || float?
MatrixSolveLs || float[5,4,3] float[5,4,2] double:0
MatrixSolveLs || float[5,4,3] float[5,3,2] double[]
MatrixSolveLs || float[5,4,3] float[6,4,2] double[]
MatrixSolveLs || float[5,4,3] float[5,4,2] double[1]
MatrixSolveLs || float? float[4,2] double?
CholeskyGrad || float[5,?,3] float[5,3,3]
CholeskyGrad || float[2,3] float[2,3]
CholeskyGrad || float[3,3] float[2,2]
CholeskyGrad || float? float?
MatrixSquareRoot || float[5,?,3]
MatrixSquareRoot || float[2,3]
MatrixLogarithm || complex64[5,?,3]
TridiagonalSolve || float[3,4] float[4,2]
TridiagonalSolve || float[5,3,?] float[5,4,2]
TridiagonalSolve || float[2,4] float[4,2]
TridiagonalSolve || float[3,4] float[5,2]
TridiagonalSolve || float[5,3,4] float[6,4,2]
TridiagonalSolve || float? float[4,2]
TridiagonalSolve || float[4] float[4,2]
BandedTriangularSolve || float[2,4] float[4,3]
BandedTriangularSolve || float[5,2,4] float[4,3]
BandedTriangularSolve || float[5,1,2,?] float[3,4,?]
BandedTriangularSolve || float[5,4] float[4,3]
BandedTriangularSolve || float[0,4] float[4,3]
BandedTriangularSolve || float[2,4] float[5,3]
BandedTriangularSolve || float[2,2,4] float[3,4,3]
BandedTriangularSolve || float[4] float[4,3]
BandedTriangularSolve || float? float[4,3]
BandedTriangularSolve || float[?,?] float[4]
TridiagonalMatMul || float[1,4] float[1,4] float[1,4] float[4,2]
TridiagonalMatMul || float[5,1,4] float[5,1,4] float[5,1,4] float[5,4,?]
TridiagonalMatMul || float[1,4] float[1,5] float[1,4] float[4,2]
TridiagonalMatMul || float[1,4] float[1,4] float[1,4] float[5,2]
TridiagonalMatMul || float[2,4] float[2,4] float[2,4] float[4,2]
TridiagonalMatMul || float? float? float? float[4,2]
TridiagonalMatMul || float? float? float? float[4]
FFT3D || complex64[2,?,3]
FFT3D || complex64[2,3]
RFFT2D || float[5,6,7] int32:[4,5]
RFFT2D || float[5,6,7] int32[2]
RFFT2D || float[5,6,7] int32:[4]
RFFT2D || float[5] int32:[4,5]
RFFT2D || float? int32:[4,5]
RFFT2D || float[5,6,7] int32?
IRFFT2D || complex64[5,6,7] int32:[4,5]
RFFT3D || float[5,6,7] int32:[4,5,6]
IRFFT3D || complex64[5,6,7] int32:[4,5,6]
IRFFT3D || complex64[5,6,7] int32:[4,5,0]
Dilation2D | strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,5,6,3] float[2,3,3]
Dilation2D | strides=li:1,2,2,1 rates=li:1,2,1,1 padding=s:SAME | float[2,5,?,3] float[2,3,?]
Dilation2D | strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,5,6,3] float[2,3,2]
Dilation2D | strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,5,6] float[2,3,2]
Dilation2D | strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float? float?
Dilation2DBackpropInput | strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,5,?,3] float[2,3,3] float?
Dilation2DBackpropFilter | strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,5,6,3] float[2,?,3] float?
Bucketize || float[2,?]
Bucketize || float?
UnravelIndex || int32[4] int32[2]
UnravelIndex || int32[] int32[2]
UnravelIndex || int32[?] int32[?]
UnravelIndex || int32? int32[2]
UnravelIndex || int32[2,2] int32[2]
UnravelIndex || int32[4] int32[]
UnravelIndex || int32[4] int32?
RandomGamma || int32:[2,3] float[4]
RandomGamma || int32:[2,3] float?
RandomGamma || int32[2] float[4,?]
RandomGamma || int32[] float[4]
RandomGamma || int32? float[4]
RandomPoissonV2 || int32:[2,3] float[4]
RandomPoissonV2 || int32[2] float[]
RandomPoissonV2 || int32[2,2] float[]
ParameterizedTruncatedNormal || int32:[2,3] float[2] float[] float[] float[]
ParameterizedTruncatedNormal || int32[2] float[2,3] float[] float[] float[]
ParameterizedTruncatedNormal || int32? float? float? float? float?
StatelessRandomGammaV2 || int32:[2,3] int64[2] float[3]
StatelessRandomGammaV2 || int32[2] int64[3] float[3]
StatelessRandomGammaV2 || int32[2] int64? float?
StatelessRandomGammaV3 || int32:[2,3] uint64[1] uint64[2] int32:1 float[3]
StatelessRandomGammaV3 || int32:[2,3] uint64[] uint64[2] int32:1 float[3]
StatelessRandomGammaV3 || int32:[2,3] uint64[1] uint64[2] int32[1] float[3]
StatelessRandomPoisson | dtype=t:float | int32:[2,3] int64[2] float[3]
StatelessRandomPoisson | dtype=t:float | int32[2] int64[3] float[3]
StatelessParameterizedTruncatedNormal || int32:[2,3] int64[2] float[3] float[] float[] float[]
StatelessParameterizedTruncatedNormal || int32[2] int64[2] float[3] float[] float[] float[4]
StatelessParameterizedTruncatedNormal || int32[2] int64[3] float[3] float[] float[] float[4]
StatelessRandomGetKeyCounterAlg || int64[2]
StatelessRandomGetKeyCounterAlg || int64[3]
StatelessRandomGetKeyCounterAlg || int64?
StatelessShuffle || float[2,?] uint64[1] uint64[2] int32:1
StatelessShuffle || float[2,?] uint64[] uint64[2] int32:1
StatelessShuffle || float? uint64[1] uint64[2] int32[1]
StatelessMultinomial || float[2,3] int32:4 int64[2]
StatelessMultinomial || float[2,3] int32[] int64[3]
StatelessMultinomial || float[3] int32:4 int64[2]
StatelessMultinomial || float? int32? int64?
RandomGammaGrad || float[2,1] float[3]
RandomGammaGrad || float[2] float[3]
StatelessRandomUniform | dtype=t:float | int32:[2,3] int32[2]
StatelessRandomUniform | dtype=t:float | int32:[2,3] int32?
StatelessRandomUniform | dtype=t:float | int32:[2,3] int32[3]
StatelessRandomUniform | dtype=t:float | int32:[2,3] int32[2,1]
StatelessRandomUniformInt || int32:[2,3] int64[2] int32:0 int32:5
StatelessRandomUniformInt || int32:[2,3] int64[2] int32:[0] int32:5
StatelessRandomGetKeyCounter || int32[2]
StatelessRandomGetKeyCounter || int32?
StatelessRandomGetKeyCounter || int32[3]
StatelessRandomGetKeyCounter || int32[]
StatelessRandomGetAlg ||
TensorStridedSliceUpdate || float[3,?] int32[1] int32[1] int32[1] float[2]
VariableV2 | dtype=t:float shape=sh:2,3 |
VariableV2 | dtype=t:float shape=sh:? |
VariableV2 | dtype=t:float shape=sh:2,? |
Variable | dtype=t:float shape=sh:2,3 |
Variable | dtype=t:float shape=sh: |
Assign || ref-float[2,3] float[2,3]
Assign || ref-float[2,3] float[2]
Assign || ref-float[2,3] float[2,4]
Assign || ref-float[2,3] float?
Assign | validate_shape=b:false | ref-float[2,3] float[4]
AssignAdd || ref-float[2,3] float[2,3]
AssignAdd || ref-float[2,3] float[3]
AssignSub || ref-float[2,?] float[2,3]
IsVariableInitialized || ref-float[2]
VarHandleOp | dtype=t:float shape=sh:2,3 |
ReadVariableOp | dtype=t:float | handle-float[2,3]
ReadVariableOp | dtype=t:int32 | handle-float[2,3]
AssignVariableOp || handle-float[2,3] float[2,3]
AssignVariableOp || handle-float[2,3] float[2]
AssignVariableOp || handle-float[2,3] int32[2]
AssignVariableOp || handle-float[2,?] float[2,3]
AssignAddVariableOp || handle-float[2,3] float[3]
VarIsInitializedOp || handle-float[2]
VariableShape || handle-float[2,3]
FIFOQueueV2 | component_types=lt:float |
FIFOQueue | component_types=lt:float |
RandomShuffleQueueV2 | component_types=lt:float |
QueueSizeV2 || handle-float[2]
NoOp ||
Print | message=s:x | float[2,3] ( float[1] )
Switch || float[2,3] bool[]
Switch || float[2,3] bool[1]
Merge || ( float[2,3] float[2,3] )
Merge || ( float[2,3] float[2,4] )
Merge || ( float[2,3] float? )
Merge || ( float[2,3] float[2] )
Enter | frame_name=s:f | float[2]
Exit || float[2]
NextIteration || float[2]
LoopCond || bool[]
LoopCond || bool[2]
L2Loss || float[2,3]
Pad || float[2,3] int32:[1,1]
Pad || float[2,3] int32[2,2]
Pad || float[2,3] int32[3,2]
Pad || float? int32[2,2]
BroadcastTo || float[3] int32:[2,3]
BroadcastTo || float[4] int32:[2,3]
BroadcastTo || float[2,2,3] int32:[2,3]
BroadcastTo || float[3] int32?
Where || bool[2,3]
Where || bool?
SoftmaxCrossEntropyWithLogits || float[2,3] float[2,3]
SoftmaxCrossEntropyWithLogits || float[2,3] float[2,4]
SparseSoftmaxCrossEntropyWithLogits || float[2,3] int64[2]
SparseSoftmaxCrossEntropyWithLogits || float[2,3] int64[3]
FusedPadConv2D | mode=s:REFLECT strides=li:1,2,2,1 padding=s:SAME | float[2,?,5,3] int32[4,2] float[2,2,?,?]
FusedPadConv2D | mode=s:REFLECT strides=li:1,1,1,1 padding=s:VALID | float[2,4,5,3] int32[4,2] float[2,2,3,7]
FusedPadConv2D | mode=s:REFLECT strides=li:1,1,1,1 padding=s:VALID | float[4,5,3] int32[4,2] float[2,2,3,7]
FusedPadConv2D | mode=s:REFLECT strides=li:1,1,1,1 padding=s:VALID | float[2,4,5,3] int32[3,2] float[2,2,3,7]
FusedPadConv2D | mode=s:REFLECT strides=li:1,1,1,1 padding=s:VALID | float[2,4,5,3] int32[4,3] float[2,2,3,7]
FusedPadConv2D | mode=s:REFLECT strides=li:1,1,1,1 padding=s:VALID | float[2,4,5,3] int32[4,2] float[2,2,4,7]
FusedPadConv2D | mode=s:REFLECT strides=li:1,1,1,1 padding=s:VALID | float[2,4,5,3] int32[4,2] float[9,2,3,7]
FusedPadConv2D | mode=s:REFLECT strides=li:1,1,1 padding=s:VALID | float[2,4,5,3] int32[4,2] float[2,2,3,7]
FusedResizeAndPadConv2D | mode=s:REFLECT strides=li:1,1,1,1 padding=s:VALID | float[2,4,5,3] int32:[7,8] int32[4,2] float[2,2,3,7]
FusedResizeAndPadConv2D | mode=s:REFLECT strides=li:1,1,1,1 padding=s:VALID | float[2,4,5,3] int32[2] int32[4,2] float[2,2,3,7]
FusedResizeAndPadConv2D | mode=s:REFLECT strides=li:1,1,1,1 padding=s:VALID | float[2,4,5,3] int32[2,1] int32[4,2] float[2,2,3,7]
QuantizedResizeBilinear || quint8[2,4,5,3] int32:[7,8] float[] float[]
QuantizedResizeBilinear || quint8[2,4,5,3] int32[2] float[] float[]
QuantizedResizeBilinear || quint8[4,5,3] int32[2] float[] float[]
QuantizedResizeBilinear || quint8[2,4,5,3] int32[3] float[] float[]
QuantizedResizeBilinear || quint8[2,4,5,3] int32[2] float[1] float[]
QuantizedInstanceNorm || quint8[2,4,5,3] float[] float[]
QuantizedInstanceNorm || quint8? float[] float[]
QuantizedInstanceNorm || quint8[4,5,3] float[] float[]
QuantizedInstanceNorm || quint8[2,4,5,3] float[] float[2]
Conv2D | strides=li:1,2,2,1 padding=s:SAME | float[8,28,28,3] float[5,5,3,16]
Conv2D | strides=li:1,1,1,1 padding=s:VALID | float[?,28,28,3] float[5,5,3,16]
Conv2D | strides=li:1,1,1,1 padding=s:VALID | float[8,28,28,3] float[5,5,4,16]
Conv2D | strides=li:1,1,1,1 padding=s:VALID | float[8,3,3,3] float[5,5,3,16]
Conv2D | strides=li:1,1 padding=s:VALID | float[8,28,28,3] float[5,5,3,16]
Conv2D | strides=li:1,1,1,1 padding=s:VALID dilations=li:1,2,3,1 | float[8,28,28,3] float[5,5,3,16]
Conv2D | strides=li:1,1,1,1 padding=s:VALID dilations=li:1,0,3,1 | float[8,28,28,3] float[5,5,3,16]
Conv2D | strides=li:1,1,1,1 padding=s:VALID dilations=li:1,1,1 | float[8,28,28,3] float[5,5,3,16]
Conv2D | strides=li:1,2,2,1 padding=s:SAME | float[8,28,28,6] float[5,5,3,16]
Conv2D | strides=li:1,2,2,1 padding=s:SAME | float[8,28,28,6] float[5,5,3,15]
Conv2D | strides=li:1,2,2,1 padding=s:SAME | float[8,28,?,3] float[5,5,3,?]
Conv2D | strides=li:1,2,2,1 padding=s:SAME | float? float[5,5,3,16]
Conv2D | strides=li:1,2,0,1 padding=s:SAME | float? float[5,5,3,16]
Conv2D | strides=li:1,1,1,1 padding=s:VALID data_format=s:NCHW | float[8,3,28,28] float[5,5,3,16]
Conv2D | strides=li:1,1,1,1 padding=s:EXPLICIT explicit_paddings=li:0,0,1,2,3,4,0,0 | float[8,28,28,3] float[5,5,3,16]
Conv2D | strides=li:1,1,1,1 padding=s:EXPLICIT explicit_paddings=li:0,0,1,2 | float[8,28,28,3] float[5,5,3,16]
Conv2D | strides=li:1,1,1,1 padding=s:SAME explicit_paddings=li:0,0,1,2,3,4,0,0 | float[8,28,28,3] float[5,5,3,16]
Conv2D | strides=li:1,1,1,1 padding=s:VALID | float[8,28,28] float[5,5,3,16]
Conv2DBackpropInput | strides=li:1,1,1,1 padding=s:VALID | int32:[1,5,6,3] float[5,5,3,16] float[1,1,2,16]
Conv2DBackpropInput | strides=li:1,1,1,1 padding=s:VALID | int32:[5,6] float[5,5,3,16] float[1,1,2,16]
Conv2DBackpropInput | strides=li:1,1,1,1 padding=s:VALID | int32:[1,5,6] float[5,5,3,16] float[1,1,2,16]
Conv2DBackpropInput | strides=li:1,1,1,1 padding=s:VALID | int32[4] float[5,5,3,16] float[1,1,2,16]
Conv2DBackpropFilter | strides=li:1,1,1,1 padding=s:VALID | float[1,5,6,3] int32:[5,5,3,16] float[1,1,2,16]
Conv2DBackpropFilter | strides=li:1,1,1,1 padding=s:VALID | float[1,5,6,3] int32[4] float[1,1,2,16]
Conv2DBackpropFilter | strides=li:1,1,1,1 padding=s:VALID | float[1,5,6,3] int32:[5,3,16] float[1,1,2,16]
Conv3D | strides=li:1,1,2,2,1 padding=s:SAME | float[8,9,28,28,3] float[2,5,5,3,16]
Conv3D | strides=li:1,1,2,2,1 padding=s:VALID | float[8,9,?,28,3] float[2,5,5,3,16]
Conv3D | strides=li:1,1,2,2,1 padding=s:VALID | float[8,9,28,28,3] float[2,5,5,4,16]
Conv3D | strides=li:1,1,2,0,1 padding=s:VALID | float[8,9,28,28,3] float[2,5,5,3,16]
Conv3D | strides=li:1,1,1,1,1 padding=s:VALID dilations=li:1,2,3,3,1 | float[8,9,28,28,3] float[2,5,5,3,16]
Conv3D | strides=li:1,1,1,1,1 padding=s:VALID data_format=s:NCDHW | float[8,3,9,28,28] float[2,5,5,3,16]
Conv3DBackpropInputV2 | strides=li:1,1,1,1,1 padding=s:VALID | int32:[1,3,5,6,3] float[2,5,5,3,16] float[1,2,1,2,16]
Conv3DBackpropFilterV2 | strides=li:1,1,1,1,1 padding=s:VALID | float[1,3,5,6,3] int32:[2,5,5,3,16] float[1,2,1,2,16]
DepthwiseConv2dNative | strides=li:1,2,2,1 padding=s:SAME | float[8,28,28,3] float[5,5,3,2]
DepthwiseConv2dNative | strides=li:1,2,2,1 padding=s:VALID | float[8,28,28,?] float[5,5,3,?]
DepthwiseConv2dNative | strides=li:1,2,2,1 padding=s:VALID | float[8,28,28,4] float[5,5,3,2]
DepthwiseConv2dNative | strides=li:1,2,2 padding=s:VALID | float[8,28,28,4] float[5,5,4,2]
DepthwiseConv2dNative | strides=li:1,1,1,1 padding=s:VALID dilations=li:1,2,2 | float[8,28,28,4] float[5,5,4,2]
DepthwiseConv2dNative | strides=li:1,1,1,1 padding=s:VALID data_format=s:NCHW | float[8,3,28,28] float[5,5,3,2]
DepthwiseConv2dNativeBackpropInput | strides=li:1,1,1,1 padding=s:VALID | int32:[1,5,6,3] float[5,5,3,2] float[1,1,2,6]
DepthwiseConv2dNativeBackpropFilter | strides=li:1,1,1,1 padding=s:VALID | float[1,5,6,3] int32:[5,5,3,2] float[1,1,2,6]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:SAME | float[8,27,27,3]
MaxPool | ksize=li:1,3,3,1 strides=li:1,2,2,1 padding=s:VALID | float[8,27,27,3]
AvgPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[8,28,28,3]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[?,?,9,3]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float?
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,3,4]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[0,4,4,3]
MaxPool | ksize=li:1,2,2,1,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1,1 padding=s:VALID | float[2,4,4,3]
MaxPool | ksize=li:1,1,1,3 strides=li:1,1,1,3 padding=s:VALID | float[2,4,4,6]
MaxPool | ksize=li:1,1,1,4 strides=li:1,1,1,4 padding=s:VALID | float[2,4,4,6]
MaxPool | ksize=li:1,1,1,4 strides=li:1,1,1,0 padding=s:VALID | float[2,4,4,6]
MaxPool | ksize=li:2,2,2,1 strides=li:2,2,2,1 padding=s:VALID | float[2,4,4,6]
MaxPool | ksize=li:1,0,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,6]
MaxPool | ksize=li:1,2,2,1 strides=li:1,0,2,1 padding=s:VALID | float[2,4,4,6]
MaxPool | ksize=li:1,9,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,6]
MaxPool | ksize=li:1,5,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,6]
MaxPool | ksize=li:1,9,2,1 strides=li:1,3,2,1 padding=s:SAME | float[2,4,4,6]
MaxPool | ksize=li:1,1,2,2 strides=li:1,1,2,2 padding=s:VALID data_format=s:NCHW | float[2,3,4,6]
MaxPool | ksize=li:1,1,2,2 strides=li:1,1,2,2 padding=s:SAME data_format=s:NCHW | float[2,3,5,?]
AvgPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[?,?,9,3]
AvgPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float?
AvgPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,3,4]
AvgPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[0,4,4,3]
AvgPool | ksize=li:1,2,2,1,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3]
AvgPool | ksize=li:1,2,2,1 strides=li:1,2,2,1,1 padding=s:VALID | float[2,4,4,3]
AvgPool | ksize=li:1,1,1,3 strides=li:1,1,1,3 padding=s:VALID | float[2,4,4,6]
AvgPool | ksize=li:1,1,1,4 strides=li:1,1,1,4 padding=s:VALID | float[2,4,4,6]
AvgPool | ksize=li:1,1,1,4 strides=li:1,1,1,0 padding=s:VALID | float[2,4,4,6]
AvgPool | ksize=li:2,2,2,1 strides=li:2,2,2,1 padding=s:VALID | float[2,4,4,6]
AvgPool | ksize=li:1,0,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,6]
AvgPool | ksize=li:1,2,2,1 strides=li:1,0,2,1 padding=s:VALID | float[2,4,4,6]
AvgPool | ksize=li:1,9,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,6]
AvgPool | ksize=li:1,5,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,6]
AvgPool | ksize=li:1,9,2,1 strides=li:1,3,2,1 padding=s:SAME | float[2,4,4,6]
AvgPool | ksize=li:1,1,2,2 strides=li:1,1,2,2 padding=s:VALID data_format=s:NCHW | float[2,3,4,6]
AvgPool | ksize=li:1,1,2,2 strides=li:1,1,2,2 padding=s:SAME data_format=s:NCHW | float[2,3,5,?]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:EXPLICIT explicit_paddings=li:0,0,1,1,1,1,0,0 | float[2,4,4,6]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:EXPLICIT explicit_paddings=li:0,0,1,1 | float[2,4,4,6]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:EXPLICIT explicit_paddings=li: | float[2,4,4,6]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:EXPLICIT explicit_paddings=li:0,0,1,1,1,1,0,1 | float[2,4,4,6]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:EXPLICIT explicit_paddings=li:0,0,1,1,1,-1,0,0 | float[2,4,4,6]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:EXPLICIT explicit_paddings=li:0,0,2,2,1,1,0,0 | float[2,4,4,6]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:EXPLICIT explicit_paddings=li:0,0,1,0,1,1,0,0 | float[2,?,4,6]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:SAME explicit_paddings=li:0,0,1,1,1,1,0,0 | float[2,4,4,6]
MaxPool | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:EXPLICIT explicit_paddings=li:0,0,0,0,1,1,1,1 data_format=s:NCHW | float[2,4,4,6]
MaxPool | ksize=li:1,1,2,2 strides=li:1,1,2,2 padding=s:EXPLICIT explicit_paddings=li:0,0,0,0,1,1,1,1 data_format=s:NCHW | float[2,3,4,6]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32[4] int32[4]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32? int32:[1,2,2,1]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32:[1,2,2] int32:[1,2,2,1]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32:[1,2,2,1] int32:[1,2,2]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32:5 int32:[1,2,2,1]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32[3] int32[4]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32:[1,0,2,1] int32:[1,2,2,1]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32:[1,2,2,1] int32:[1,0,2,1]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32:[1,9,2,1] int32:[1,2,2,1]
MaxPoolV2 | padding=s:VALID | float[2,4,4,6] int32:[1,1,1,3] int32:[1,1,1,3]
MaxPoolV2 | padding=s:SAME | float[?,5,5,?] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolV2 | padding=s:VALID | float? int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolV2 | padding=s:VALID | float[2,3] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolV2 | padding=s:VALID data_format=s:NCHW | float[2,3,4,6] int32:[1,1,2,2] int32:[1,1,2,2]
MaxPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,2,2,3]
MaxPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float? float[2,2,2,3] float[2,2,2,3]
MaxPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float? float?
MaxPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,3] float[2,2,2,3] float[2,2,2,3]
MaxPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,3] float[2]
MaxPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,3,3,3] float[2,2,2,3]
MaxPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,5,4,3]
MaxPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1,1 padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,2,2,3]
MaxPoolGradGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,4,4,3]
MaxPoolGradGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float? float[2,2,2,3] float[2,4,4,3]
MaxPoolGradGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float? float?
MaxPoolGradGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,3] float[2,2,2,3] float[2,4,4,3]
MaxPoolGradGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,3] float[2]
MaxPoolGradGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,3,3,3] float[2,2,2,3]
MaxPoolGradGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,5,4,3]
MaxPoolGradGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1,1 padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,4,4,3]
MaxPoolGradV2 | padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,2,2,3] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradV2 | padding=s:VALID | float? float[2,2,2,3] float[2,2,2,3] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradV2 | padding=s:VALID | float[2,4,4,3] float[2,3] float[2] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradV2 | padding=s:VALID | float[2,3] float[2,3] float[2] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradV2 | padding=s:VALID | float[2,4,4,3] float[2,3,3,3] float[2,2,2,3] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradV2 | padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,5,4,3] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradV2 | padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,2,2,3] int32[4] int32[4]
MaxPoolGradV2 | padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,2,2,3] int32:[1,2] int32[4]
MaxPoolGradGradV2 | padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,4,4,3] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradGradV2 | padding=s:VALID | float? float[2,2,2,3] float[2,4,4,3] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradGradV2 | padding=s:VALID | float[2,4,4,3] float[2,3] float[2] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradGradV2 | padding=s:VALID | float[2,3] float[2,3] float[2] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradGradV2 | padding=s:VALID | float[2,4,4,3] float[2,3,3,3] float[2,2,2,3] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradGradV2 | padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,5,4,3] int32:[1,2,2,1] int32:[1,2,2,1]
MaxPoolGradGradV2 | padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,4,4,3] int32[4] int32[4]
MaxPoolGradGradV2 | padding=s:VALID | float[2,4,4,3] float[2,2,2,3] float[2,4,4,3] int32:[1,2] int32[4]
AvgPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | int32:[2,4,4,3] float[2,2,2,3]
AvgPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | int32[4] float[2,2,2,3]
AvgPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | int32? float[2,2,2,3]
AvgPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | int32:[2,4,4] float[2,2,2,3]
AvgPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | int32[2,4] float[2,2,2,3]
AvgPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | int32:[2,4,4,-1] float[2,2]
AvgPoolGrad | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | int32[?] float[2,2,2,3]
MaxPoolWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,5,5,3]
MaxPoolWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float?
MaxPoolWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,3]
MaxPoolWithArgmax | ksize=li:1,1,1,3 strides=li:1,1,1,3 padding=s:VALID | float[2,4,4,6]
MaxPoolGradGradWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,4,4,3] int64[2,2,2,3]
MaxPoolGradGradWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float? float? int64?
MaxPoolGradGradWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,2,2,3] int64[2,2,2,3]
MaxPoolGradGradWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,4,4,3] int64[2,4,4,3]
MaxPoolGradGradWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,3] float? int64?
MaxPoolGradWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2,2,2,3] int64[2,2,2,3]
MaxPoolGradWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float? float[2,2,2,3] int64[2,2,2,3]
MaxPoolGradWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,3] float[2,2,2,3] int64[2]
MaxPoolGradWithArgmax | ksize=li:1,2,2,1 strides=li:1,2,2,1 padding=s:VALID | float[2,4,4,3] float[2] int64[2]
MaxPool3D | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,5,6,3]
MaxPool3D | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float?
MaxPool3D | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,5,6]
MaxPool3D | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:SAME | float[?,5,?,5,3]
MaxPool3D | ksize=li:1,1,2,2,2 strides=li:1,1,2,2,2 padding=s:SAME data_format=s:NCDHW | float[2,3,4,5,6]
MaxPool3D | ksize=li:1,2,2,2,1,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,5,6,3]
MaxPool3D | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1,1 padding=s:VALID | float[2,4,5,6,3]
MaxPool3D | ksize=li:1,2,2,2,1 strides=li:1,0,2,2,1 padding=s:VALID | float[2,4,5,6,3]
MaxPool3D | ksize=li:1,9,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,5,6,3]
MaxPool3D | ksize=li:1,2,2,2,3 strides=li:1,2,2,2,3 padding=s:VALID | float[2,4,5,6,3]
MaxPool3D | ksize=li:1,0,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,5,6,3]
AvgPool3D | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,5,6,3]
AvgPool3D | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float?
AvgPool3D | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,5,6]
AvgPool3D | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:SAME | float[?,5,?,5,3]
AvgPool3D | ksize=li:1,1,2,2,2 strides=li:1,1,2,2,2 padding=s:SAME data_format=s:NCDHW | float[2,3,4,5,6]
AvgPool3D | ksize=li:1,2,2,2,1,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,5,6,3]
AvgPool3D | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1,1 padding=s:VALID | float[2,4,5,6,3]
AvgPool3D | ksize=li:1,2,2,2,1 strides=li:1,0,2,2,1 padding=s:VALID | float[2,4,5,6,3]
AvgPool3D | ksize=li:1,9,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,5,6,3]
AvgPool3D | ksize=li:1,2,2,2,3 strides=li:1,2,2,2,3 padding=s:VALID | float[2,4,5,6,3]
AvgPool3D | ksize=li:1,0,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,5,6,3]
MaxPool3DGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,4,4,3] float[2,2,2,2,3] float[2,2,2,2,3]
MaxPool3DGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float? float[2,2,2,2,3] float?
MaxPool3DGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,3] float[2,3] float[2,3]
MaxPool3DGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,4,4,3] float[2,2,2,2,3] float[2,4,4,4,3]
MaxPool3DGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,4,4,3] float[2] float[2,4,4,4,3]
MaxPool3DGradGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,4,4,3] float[2,2,2,2,3] float[2,2,2,2,3]
MaxPool3DGradGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float? float[2,2,2,2,3] float?
MaxPool3DGradGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,3] float[2,3] float[2,3]
MaxPool3DGradGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,4,4,3] float[2,2,2,2,3] float[2,4,4,4,3]
MaxPool3DGradGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | float[2,4,4,4,3] float[2] float[2,4,4,4,3]
AvgPool3DGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | int32:[2,4,4,4,3] float[2,2,2,2,3]
AvgPool3DGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | int32[5] float[2,2,2,2,3]
AvgPool3DGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | int32? float[2]
AvgPool3DGrad | ksize=li:1,2,2,2,1 strides=li:1,2,2,2,1 padding=s:VALID | int32:[2,4,4] float[2,2,2,3]
FusedBatchNorm |  | float[2,4,5,3] float[3] float[3] float[3] float[3]
FusedBatchNorm |  | float[2,?,5,?] float[3] float[3] float[3] float[3]
FusedBatchNorm |  | float? float? float? float? float?
FusedBatchNorm |  | float[2,3] float[3] float[3] float[3] float[3]
FusedBatchNorm |  | float[2,4,5,3] float[3,1] float[3] float[3] float[3]
FusedBatchNorm |  | float[2,4,5,3] float[4] float[3] float[3] float[3]
FusedBatchNorm |  | float[2,4,5,3] float[3] float[3] float[4] float[3]
FusedBatchNorm | is_training=b:false | float[2,4,5,3] float[3] float[3] float[4] float[3]
FusedBatchNorm | is_training=b:false | float[2,4,5,3] float[3] float[3] float[3] float[5]
FusedBatchNorm | is_training=b:false | float[2,4,5,?] float[3] float[3] float[3] float[?]
FusedBatchNorm | data_format=s:NCHW | float[2,3,5,6] float[3] float[3] float[3] float[3]
FusedBatchNorm |  | float[2,4,5,3] float[3] float[3] float[0] float[0]
FusedBatchNorm |  | float[2,4,5,3] float[3] float[3] float[] float[0]
FusedBatchNorm |  | float[2,4,5,3] float[3] float[4] float[3] float[3]
FusedBatchNormV2 |  | float[2,4,5,3] float[3] float[3] float[3] float[3]
FusedBatchNormV2 |  | float[2,?,5,?] float[3] float[3] float[3] float[3]
FusedBatchNormV2 |  | float? float? float? float? float?
FusedBatchNormV2 |  | float[2,3] float[3] float[3] float[3] float[3]
FusedBatchNormV2 |  | float[2,4,5,3] float[3,1] float[3] float[3] float[3]
FusedBatchNormV2 |  | float[2,4,5,3] float[4] float[3] float[3] float[3]
FusedBatchNormV2 |  | float[2,4,5,3] float[3] float[3] float[4] float[3]
FusedBatchNormV2 | is_training=b:false | float[2,4,5,3] float[3] float[3] float[4] float[3]
FusedBatchNormV2 | is_training=b:false | float[2,4,5,3] float[3] float[3] float[3] float[5]
FusedBatchNormV2 | is_training=b:false | float[2,4,5,?] float[3] float[3] float[3] float[?]
FusedBatchNormV2 | data_format=s:NCHW | float[2,3,5,6] float[3] float[3] float[3] float[3]
FusedBatchNormV2 |  | float[2,4,5,3] float[3] float[3] float[0] float[0]
FusedBatchNormV2 |  | float[2,4,5,3] float[3] float[3] float[] float[0]
FusedBatchNormV2 |  | float[2,4,5,3] float[3] float[4] float[3] float[3]
FusedBatchNormV3 |  | float[2,4,5,3] float[3] float[3] float[3] float[3]
FusedBatchNormV3 |  | float[2,?,5,?] float[3] float[3] float[3] float[3]
FusedBatchNormV3 |  | float? float? float? float? float?
FusedBatchNormV3 |  | float[2,3] float[3] float[3] float[3] float[3]
FusedBatchNormV3 |  | float[2,4,5,3] float[3,1] float[3] float[3] float[3]
FusedBatchNormV3 |  | float[2,4,5,3] float[4] float[3] float[3] float[3]
FusedBatchNormV3 |  | float[2,4,5,3] float[3] float[3] float[4] float[3]
FusedBatchNormV3 | is_training=b:false | float[2,4,5,3] float[3] float[3] float[4] float[3]
FusedBatchNormV3 | is_training=b:false | float[2,4,5,3] float[3] float[3] float[3] float[5]
FusedBatchNormV3 | is_training=b:false | float[2,4,5,?] float[3] float[3] float[3] float[?]
FusedBatchNormV3 | data_format=s:NCHW | float[2,3,5,6] float[3] float[3] float[3] float[3]
FusedBatchNormV3 |  | float[2,4,5,3] float[3] float[3] float[0] float[0]
FusedBatchNormV3 |  | float[2,4,5,3] float[3] float[3] float[] float[0]
FusedBatchNormV3 |  | float[2,4,5,3] float[3] float[4] float[3] float[3]
FusedBatchNormV3 | data_format=s:NDHWC | float[2,4,5,6,3] float[3] float[3] float[3] float[3]
FusedBatchNormV3 | data_format=s:NDHWC | float[2,4,5,3] float[3] float[3] float[3] float[3]
FusedBatchNormV3 | data_format=s:NCDHW | float[2,3,5,6,3] float[3] float[3] float[3] float[3]
FusedBatchNormGrad |  | float[2,4,5,3] float[2,4,5,3] float[3] float[3] float[3]
FusedBatchNormGrad |  | float? float? float? float? float?
FusedBatchNormGrad |  | float[2,4,5,3] float[2,4,5,?] float[?] float[3] float[3]
FusedBatchNormGrad |  | float[2,4,5,3] float[2,4,5,4] float[3] float[3] float[3]
FusedBatchNormGrad |  | float[2,3] float[2,4,5,3] float[3] float[3] float[3]
FusedBatchNormGrad |  | float[2,4,5,3] float[2,3] float[3] float[3] float[3]
FusedBatchNormGrad |  | float[2,4,5,3] float[2,4,5,3] float[4] float[3] float[3]
FusedBatchNormGrad |  | float[2,4,5,3] float[2,4,5,3] float[3] float[4] float[3]
FusedBatchNormGrad |  | float[2,4,5,3] float[2,4,5,3] float[3] float[3] float[3,1]
FusedBatchNormGrad | data_format=s:NCHW | float[2,3,5,4] float[2,3,5,4] float[3] float[3] float[3]
FusedBatchNormGrad | is_training=b:false | float[2,4,5,3] float[2,4,5,3] float[3] float[3] float[3]
FusedBatchNormGradV2 |  | float[2,4,5,3] float[2,4,5,3] float[3] float[3] float[3]
FusedBatchNormGradV2 |  | float? float? float? float? float?
FusedBatchNormGradV2 |  | float[2,4,5,3] float[2,4,5,?] float[?] float[3] float[3]
FusedBatchNormGradV2 |  | float[2,4,5,3] float[2,4,5,4] float[3] float[3] float[3]
FusedBatchNormGradV2 |  | float[2,3] float[2,4,5,3] float[3] float[3] float[3]
FusedBatchNormGradV2 |  | float[2,4,5,3] float[2,3] float[3] float[3] float[3]
FusedBatchNormGradV2 |  | float[2,4,5,3] float[2,4,5,3] float[4] float[3] float[3]
FusedBatchNormGradV2 |  | float[2,4,5,3] float[2,4,5,3] float[3] float[4] float[3]
FusedBatchNormGradV2 |  | float[2,4,5,3] float[2,4,5,3] float[3] float[3] float[3,1]
FusedBatchNormGradV2 | data_format=s:NCHW | float[2,3,5,4] float[2,3,5,4] float[3] float[3] float[3]
FusedBatchNormGradV2 | is_training=b:false | float[2,4,5,3] float[2,4,5,3] float[3] float[3] float[3]
FusedBatchNormGradV3 |  | float[2,4,5,3] float[2,4,5,3] float[3] float[3] float[3] float[]
FusedBatchNormGradV3 |  | float? float? float? float? float? float[]
FusedBatchNormGradV3 |  | float[2,4,5,3] float[2,4,5,?] float[?] float[3] float[3] float[]
FusedBatchNormGradV3 |  | float[2,4,5,3] float[2,4,5,4] float[3] float[3] float[3] float[]
FusedBatchNormGradV3 |  | float[2,3] float[2,4,5,3] float[3] float[3] float[3] float[]
FusedBatchNormGradV3 |  | float[2,4,5,3] float[2,3] float[3] float[3] float[3] float[]
FusedBatchNormGradV3 |  | float[2,4,5,3] float[2,4,5,3] float[4] float[3] float[3] float[]
FusedBatchNormGradV3 |  | float[2,4,5,3] float[2,4,5,3] float[3] float[4] float[3] float[]
FusedBatchNormGradV3 |  | float[2,4,5,3] float[2,4,5,3] float[3] float[3] float[3,1] float[]
FusedBatchNormGradV3 | data_format=s:NCHW | float[2,3,5,4] float[2,3,5,4] float[3] float[3] float[3] float[]
FusedBatchNormGradV3 | is_training=b:false | float[2,4,5,3] float[2,4,5,3] float[3] float[3] float[3] float[]
LRN || float[2,4,5,3]
LRN || float?
LRN || float[2,3]
LRNGrad || float[2,4,5,3] float[2,4,5,3] float[2,4,5,3]
LRNGrad || float[2,4,5,?] float[2,4,?,3] float[2,?,5,3]
LRNGrad || float[2,4] float[2,4,?,3] float[2,?,5,3]
LRNGrad || float[2,4,5,3] float[2,4,5,4] float[2,?,5,3]
LRNGrad || float? float? float?
LRNGrad || float[2,4,5,3] float[2,4] float[2]
ResizeBilinear || float[2,4,5,3] int32:[3,7]
ResizeBilinear || float[2,?,5,?] int32[2]
ResizeBilinear || float? int32:[3,7]
ResizeBilinear || float[2,3] int32:[3,7]
ResizeBilinear || float[2,4,5,3] int32:[3]
ResizeBilinear || float[2,4,5,3] int32:3
ResizeBilinear || float[2,4,5,3] int32[?]
ResizeBilinear || float[2,4,5,3] int32?
ResizeBilinear || float[2,4,5,3] int32:[0,2]
ResizeBilinear || float[2,4,5,3] int32:[-1,2]
ResizeNearestNeighbor || float[2,4,5,3] int32:[3,7]
ResizeNearestNeighbor || float[2,?,5,?] int32[2]
ResizeNearestNeighbor || float? int32:[3,7]
ResizeNearestNeighbor || float[2,3] int32:[3,7]
ResizeNearestNeighbor || float[2,4,5,3] int32:[3]
ResizeNearestNeighbor || float[2,4,5,3] int32:3
ResizeNearestNeighbor || float[2,4,5,3] int32[?]
ResizeNearestNeighbor || float[2,4,5,3] int32?
ResizeNearestNeighbor || float[2,4,5,3] int32:[0,2]
ResizeNearestNeighbor || float[2,4,5,3] int32:[-1,2]
ResizeBicubic || float[2,4,5,3] int32:[3,7]
ResizeBicubic || float[2,?,5,?] int32[2]
ResizeBicubic || float? int32:[3,7]
ResizeBicubic || float[2,3] int32:[3,7]
ResizeBicubic || float[2,4,5,3] int32:[3]
ResizeBicubic || float[2,4,5,3] int32:3
ResizeBicubic || float[2,4,5,3] int32[?]
ResizeBicubic || float[2,4,5,3] int32?
ResizeBicubic || float[2,4,5,3] int32:[0,2]
ResizeBicubic || float[2,4,5,3] int32:[-1,2]
ResizeArea || float[2,4,5,3] int32:[3,7]
ResizeArea || float[2,?,5,?] int32[2]
ResizeArea || float? int32:[3,7]
ResizeArea || float[2,3] int32:[3,7]
ResizeArea || float[2,4,5,3] int32:[3]
ResizeArea || float[2,4,5,3] int32:3
ResizeArea || float[2,4,5,3] int32[?]
ResizeArea || float[2,4,5,3] int32?
ResizeArea || float[2,4,5,3] int32:[0,2]
ResizeArea || float[2,4,5,3] int32:[-1,2]
ResizeBilinearGrad || float[2,3,7,3] float[2,4,5,3]
ResizeBilinearGrad || float? float[2,4,5,?]
ResizeBilinearGrad || float[2] float?
ResizeBilinearGrad || float[2] float[3]
ResizeBicubicGrad || float[2,3,7,3] float[2,4,5,3]
ResizeBicubicGrad || float? float[2,4,5,?]
ResizeBicubicGrad || float[2] float?
ResizeBicubicGrad || float[2] float[3]
ResizeNearestNeighborGrad || float[2,3,7,3] int32:[4,5]
ResizeNearestNeighborGrad || float? int32:[4,5]
ResizeNearestNeighborGrad || float[2,3] int32:[4,5]
ResizeNearestNeighborGrad || float[2,3,7,3] int32[2]
ResizeNearestNeighborGrad || float[2,3,7,3] int32:[4]
ResizeNearestNeighborGrad || float[2,3,7,3] int32?
ResizeNearestNeighborGrad || float[2,3,7,3] int32:4
CropAndResize || float[2,4,5,3] float[7,4] int32[7] int32:[2,3]
CropAndResize || float? float? int32? int32?
CropAndResize || float[2,4,5,3] float[?,4] int32[7] int32[2]
CropAndResize || float[2,3] float[7,4] int32[7] int32:[2,3]
CropAndResize || float[2,4,5,3] float[7] int32[7] int32:[2,3]
CropAndResize || float[2,4,5,3] float[7,3] int32[7] int32:[2,3]
CropAndResize || float[2,4,5,3] float[7,4] int32[6] int32:[2,3]
CropAndResize || float[2,4,5,3] float[7,4] int32[7,1] int32:[2,3]
CropAndResize || float[2,4,5,3] float[7,4] int32[7] int32:[2]
CropAndResizeGradImage | T=t:float | float[7,2,2,3] float[7,4] int32[7] int32:[2,4,5,3]
CropAndResizeGradImage | T=t:float | float? float? int32? int32?
CropAndResizeGradImage | T=t:float | float[7,2,2,3] float[7,4] int32[7] int32[4]
CropAndResizeGradImage | T=t:float | float[7,2,2,3] float[7,4] int32[7] int32:[2,4]
CropAndResizeGradImage | T=t:float | float[2] float[2] int32[2,2] int32[4]
CropAndResizeGradBoxes || float[7,2,2,3] float[2,4,5,3] float[7,4] int32[7]
CropAndResizeGradBoxes || float? float? float? int32?
CropAndResizeGradBoxes || float[2] float[2] float[7,4,2] int32[2,2]
ExtractImagePatches | ksizes=li:1,2,2,1 strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,4,5,3]
ExtractImagePatches | ksizes=li:1,2,2,1 strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float?
ExtractImagePatches | ksizes=li:1,2,2,1 strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,3]
ExtractImagePatches | ksizes=li:1,2,2,1 strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,?,5,?]
ExtractImagePatches | ksizes=li:1,2,2,1 strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:SAME | float[2,4,5,3]
ExtractImagePatches | ksizes=li:1,9,2,1 strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,4,5,3]
ExtractImagePatches | ksizes=li:1,2,2,1 strides=li:1,1,1,1 rates=li:1,2,3,1 padding=s:VALID | float[2,4,5,3]
ExtractImagePatches | ksizes=li:1,2,2,1,1 strides=li:1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,4,5,3]
ExtractImagePatches | ksizes=li:1,2,2,1 strides=li:1,1,1,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,4,5,3]
ExtractImagePatches | ksizes=li:1,2,2,1 strides=li:1,1,1,1 rates=li:1,1,1,1,1 padding=s:VALID | float[2,4,5,3]
ExtractImagePatches | ksizes=li:1,2,2,1 strides=li:1,0,1,1 rates=li:1,1,1,1 padding=s:VALID | float[2,4,5,3]
AdjustContrastv2 || float[2,4,5,3] float[]
AdjustContrastv2 || float? float[]
AdjustContrastv2 || float[2,3] float[]
AdjustContrastv2 || float[4,5,3] float[1]
AdjustContrastv2 || float[4,5,4] float?
AdjustHue || float[2,4,5,3] float[]
AdjustHue || float? float[]
AdjustHue || float[2,3] float[]
AdjustHue || float[4,5,3] float[1]
AdjustHue || float[4,5,4] float?
AdjustSaturation || float[2,4,5,3] float[]
AdjustSaturation || float? float[]
AdjustSaturation || float[2,3] float[]
AdjustSaturation || float[4,5,3] float[1]
AdjustSaturation || float[4,5,4] float?
RGBToHSV || float[2,4,5,3]
RGBToHSV || float?
RGBToHSV || float[]
RGBToHSV || float[2,4]
RGBToHSV || float[2,?]
HSVToRGB || float[2,4,5,3]
HSVToRGB || float?
HSVToRGB || float[]
HSVToRGB || float[2,4]
HSVToRGB || float[2,?]
NonMaxSuppression || float[7,4] float[7] int32:3
NonMaxSuppression || float? float? int32?
NonMaxSuppression || float[7] float[7] int32[]
NonMaxSuppression || float[7,3] float[7] int32[]
NonMaxSuppression || float[7,4] float[6] int32[]
NonMaxSuppression || float[7,4] float[7,1] int32[]
NonMaxSuppression || float[7,4] float[7] int32[1]
NonMaxSuppressionV2 || float[7,4] float[7] int32:3 float[]
NonMaxSuppressionV2 || float? float? int32? float[]
NonMaxSuppressionV2 || float[7] float[7] int32[] float[]
NonMaxSuppressionV2 || float[7,3] float[7] int32[] float[]
NonMaxSuppressionV2 || float[7,4] float[6] int32[] float[]
NonMaxSuppressionV2 || float[7,4] float[7,1] int32[] float[]
NonMaxSuppressionV2 || float[7,4] float[7] int32[1] float[]
NonMaxSuppressionV2 || float[7,4] float[7] int32[] float[1]
NonMaxSuppressionV3 || float[7,4] float[7] int32:3 float[] float[]
NonMaxSuppressionV3 || float? float? int32? float[] float[]
NonMaxSuppressionV3 || float[7] float[7] int32[] float[] float[]
NonMaxSuppressionV3 || float[7,3] float[7] int32[] float[] float[]
NonMaxSuppressionV3 || float[7,4] float[6] int32[] float[] float[]
NonMaxSuppressionV3 || float[7,4] float[7,1] int32[] float[] float[]
NonMaxSuppressionV3 || float[7,4] float[7] int32[1] float[] float[]
NonMaxSuppressionV3 || float[7,4] float[7] int32[] float[1] float[]
NonMaxSuppressionV3 || float[7,4] float[7] int32[] float[] float[1]
NonMaxSuppressionV4 || float[7,4] float[7] int32:3 float[] float[]
NonMaxSuppressionV4 || float? float? int32? float[] float[]
NonMaxSuppressionV4 || float[7] float[7] int32[] float[] float[]
NonMaxSuppressionV4 || float[7,3] float[7] int32[] float[] float[]
NonMaxSuppressionV4 || float[7,4] float[6] int32[] float[] float[]
NonMaxSuppressionV4 || float[7,4] float[7,1] int32[] float[] float[]
NonMaxSuppressionV4 || float[7,4] float[7] int32[1] float[] float[]
NonMaxSuppressionV4 || float[7,4] float[7] int32[] float[1] float[]
NonMaxSuppressionV4 || float[7,4] float[7] int32[] float[] float[1]
NonMaxSuppressionV5 || float[7,4] float[7] int32:3 float[] float[] float[]
NonMaxSuppressionV5 || float? float? int32? float[] float[] float[]
NonMaxSuppressionV5 || float[7] float[7] int32[] float[] float[] float[]
NonMaxSuppressionV5 || float[7,3] float[7] int32[] float[] float[] float[]
NonMaxSuppressionV5 || float[7,4] float[6] int32[] float[] float[] float[]
NonMaxSuppressionV5 || float[7,4] float[7,1] int32[] float[] float[] float[]
NonMaxSuppressionV5 || float[7,4] float[7] int32[1] float[] float[] float[]
NonMaxSuppressionV5 || float[7,4] float[7] int32[] float[1] float[] float[]
NonMaxSuppressionV5 || float[7,4] float[7] int32[] float[] float[1] float[]
NonMaxSuppressionV4 | pad_to_max_output_size=b:true | float[7,4] float[7] int32:3 float[] float[]
NonMaxSuppressionV4 | pad_to_max_output_size=b:true | float[7,4] float[7] int32[] float[] float[]
NonMaxSuppressionV4 | pad_to_max_output_size=b:true | float[7,4] float[7] int32:-3 float[] float[]
NonMaxSuppressionV5 | pad_to_max_output_size=b:true | float[7,4] float[7] int32:3 float[] float[] float[]
NonMaxSuppressionV5 | pad_to_max_output_size=b:true | float[7,4] float[7] int32[] float[] float[] float[]
NonMaxSuppressionV5 | pad_to_max_output_size=b:true | float[7,4] float[7] int32:-3 float[] float[] float[]
NonMaxSuppressionWithOverlaps || float[7,7] float[7] int32[] float[] float[]
NonMaxSuppressionWithOverlaps || float[7,6] float[7] int32[] float[] float[]
NonMaxSuppressionWithOverlaps || float[7] float[7] int32[] float[] float[]
NonMaxSuppressionWithOverlaps || float[7,7] float[6] int32[] float[] float[]
NonMaxSuppressionWithOverlaps || float[7,7] float[7] int32[1] float[] float[]
CombinedNonMaxSuppression || float[2,7,1,4] float[2,7,3] int32:3 int32:5 float[] float[]
CombinedNonMaxSuppression || float? float? int32? int32? float? float?
CombinedNonMaxSuppression || float[2,7,1,4] float[2,7,3] int32[] int32[] float[] float[]
CombinedNonMaxSuppression || float[2,7,4] float[2,7,3] int32[] int32[] float[] float[]
CombinedNonMaxSuppression || float[2,7,1,3] float[2,7,3] int32[] int32[] float[] float[]
CombinedNonMaxSuppression || float[2,7,2,4] float[2,7,3] int32[] int32[] float[] float[]
CombinedNonMaxSuppression || float[2,7,1,4] float[2,6,3] int32[] int32[] float[] float[]
CombinedNonMaxSuppression || float[2,7,1,4] float[1,7,3] int32[] int32[] float[] float[]
CombinedNonMaxSuppression || float[2,7,1,4] float[2,7,3] int32[1] int32[] float[] float[]
CombinedNonMaxSuppression || float[2,7,1,4] float[2,7,3] int32:3 int32:-5 float[] float[]
CombinedNonMaxSuppression | pad_per_class=b:true | float[2,7,1,4] float[2,7,3] int32:3 int32:50 float[] float[]
DrawBoundingBoxes || float[2,4,5,3] float[2,1,4]
DrawBoundingBoxesV2 || float[2,4,5,3] float[2,1,4] float[1,3]
DrawBoundingBoxes || float? float?
DrawBoundingBoxesV2 || float? float? float[1,3]
DrawBoundingBoxes || float[2,3] float[2,1,4]
DrawBoundingBoxesV2 || float[2,3] float[2,1,4] float[1,3]
DrawBoundingBoxes || float[2,4,5,3] float[2,4]
DrawBoundingBoxesV2 || float[2,4,5,3] float[2,4] float[1,3]
DrawBoundingBoxes || float[2,4,5,3] float[2,1,3]
DrawBoundingBoxesV2 || float[2,4,5,3] float[2,1,3] float[1,3]
DrawBoundingBoxes || float[3,4,5,2] float[2,1,4]
DrawBoundingBoxesV2 || float[3,4,5,2] float[2,1,4] float[1,3]
DrawBoundingBoxes || float[2,4,5,?] float[2,?,4]
DrawBoundingBoxesV2 || float[2,4,5,?] float[2,?,4] float[1,3]
DrawBoundingBoxesV2 || float[2,4,5,3] float[2,1,4] float[3]
ImageProjectiveTransformV2 | interpolation=s:NEAREST | float[2,4,5,3] float[1,8] int32:[3,4]
ImageProjectiveTransformV3 | interpolation=s:NEAREST | float[2,4,5,3] float[1,8] int32:[3,4] float[]
ImageProjectiveTransformV2 | interpolation=s:NEAREST | float? float? int32?
ImageProjectiveTransformV3 | interpolation=s:NEAREST | float? float? int32? float[]
ImageProjectiveTransformV2 | interpolation=s:NEAREST | float[2,3] float[1,8] int32:[3,4]
ImageProjectiveTransformV3 | interpolation=s:NEAREST | float[2,3] float[1,8] int32:[3,4] float[]
ImageProjectiveTransformV2 | interpolation=s:NEAREST | float[2,4,5,3] float[8] int32:[3,4]
ImageProjectiveTransformV3 | interpolation=s:NEAREST | float[2,4,5,3] float[8] int32:[3,4] float[]
ImageProjectiveTransformV2 | interpolation=s:NEAREST | float[2,4,5,3] float[1,8] int32[2]
ImageProjectiveTransformV3 | interpolation=s:NEAREST | float[2,4,5,3] float[1,8] int32[2] float[]
ImageProjectiveTransformV2 | interpolation=s:NEAREST | float[2,4,5,3] float[1,8] int32:[3]
ImageProjectiveTransformV3 | interpolation=s:NEAREST | float[2,4,5,3] float[1,8] int32:[3] float[]
ImageProjectiveTransformV2 | interpolation=s:NEAREST | float[2,4,5,3] float[1,7] int32:[3,4]
ImageProjectiveTransformV3 | interpolation=s:NEAREST | float[2,4,5,3] float[1,7] int32:[3,4] float[]
ImageProjectiveTransformV2 | interpolation=s:NEAREST | float[2,4,5,3] float[1,8] int32[2,1]
ImageProjectiveTransformV3 | interpolation=s:NEAREST | float[2,4,5,3] float[1,8] int32[2,1] float[]
ScatterNd || int32[2,1] float[2] int32:[4]
ScatterNd || int32[2,1] float[2,3] int32:[4,3]
ScatterNd || int32[2,1] float[3] int32:[4]
ScatterNd || int32[2,1] float[2,3] int32:[4,2]
ScatterNd || int32? float[2] int32:[4]
ScatterNd || int32[2,1] float[2] int32[1]
ScatterNd || int32[2,1] float[2] int32?
ScatterNd || int32[] float[2] int32:[4]
ScatterNd || int32[2,1] float[2] int32:[0]
TensorScatterUpdate || float[4,2] int32[2,1] float[2,2]
TensorScatterUpdate || float[4,2] int32[2,1] float[2,3]
TensorScatterUpdate || float? int32[2,1] float[2,3]
TensorScatterAdd || float[4,?] int32[?,1] float[2,3]
TensorScatterMax || float[4] int32[2] float[]
ScatterUpdate || ref-float[3,2] int32[2] float[2,2]
ScatterUpdate || ref-float[3,2] int32[2] float[2,3]
ScatterAdd || ref-float[3,2] int32[2] float[]
ScatterAdd || ref-float[] int32[2] float[2]
ScatterNdUpdate || ref-float[3,2] int32[2,1] float[2,2]
ScatterNdAdd || ref-float[3,2] int32[2,2] float[3]
ResourceGather | dtype=t:float | handle-float[3,2] int32[4]
ResourceGather | dtype=t:float batch_dims=i:1 | handle-float[3,2] int32[3,4]
ResourceGather | dtype=t:float | handle-float[3,2] int32?
ResourceGather | dtype=t:int32 | handle-float[3,2] int32[4]
ResourceGatherNd | dtype=t:float | handle-float[3,2] int32[4,1]
ResourceGatherNd | dtype=t:float | handle-float[3,2] int32[4,3]
ResourceScatterAdd | dtype=t:float | handle-float[3,2] int32[2] float[2,2]
ResourceScatterAdd | dtype=t:float | handle-float[3,2] int32[2] float[2,3]
ResourceScatterNdUpdate || handle-float[3,2] int32[2,1] float[2,2]
ResourceScatterNdUpdate || handle-float[3,2] int32[2,1] float[2,3]
ApplyGradientDescent || ref-float[2,3] float[] float[2,3]
ApplyGradientDescent || ref-float[2,3] float[] float[2,2]
ApplyGradientDescent || ref-float[2,3] float[1] float[2,3]
ApplyMomentum || ref-float[2,?] ref-float[?,3] float[] float? float[]
ApplyMomentum || ref-float[2,3] ref-float[2,2] float[] float[2,3] float[]
ResourceApplyGradientDescent || handle-float[2,3] float[] float[2,2]
ResourceApplyMomentum || handle-float[2,3] handle-float[2,3] float[] float[2,2] float[]
ResourceApplyMomentum || handle-float[2,3] handle-float[2,2] float[] float[2,3] float[]
ResourceApplyProximalAdagrad || handle-float[2,3] handle-float[2,3] float[] float[] float[] float[2,2]
SparseApplyAdagrad || ref-float[4,3] ref-float[4,3] float[] float[2,3] int32[2]
SparseApplyAdagrad || ref-float[4,3] ref-float[4,3] float[] float[2,3] int32[3]
SparseApplyAdagrad || ref-float[4,3] ref-float[4,3] float[] float[2,2] int32[2]
SparseApplyAdagrad || ref-float[4,3] ref-float[4,3] float[] float[2,3] int32[2,1]
SparseApplyFtrlV2 || ref-float[4,3] ref-float[4,3] ref-float[4,?] float[2,3] int64[2] float[] float[] float[] float[2] float[]
SparseApplyFtrlV2 || ref-float[4,3] ref-float[4,3] ref-float[4,?] float[2,3] int64[2] float[] float[] float[] float[] float[2]
ResourceSparseApplyFtrl || handle-float[4,3] handle-float[4,3] handle-float[4,3] float[5,3] int32[2] float[] float[] float[] float[]
ResourceSparseApplyFtrl || handle-float[4,3] handle-float[4,3] handle-float[4,3] float[2,3] int32[] float[] float[] float[] float[]
InTopKV2 || float[3,4] int32[3] int32:2
InTopKV2 || float[3,4] int32[2] int32:2
InTopKV2 || float? int32? int32:2
InTopK | k=i:2 | float[3,4] int32[3]
InTopK | k=i:2 | float[3,4] int32[3,1]
Roll || float[2,3] int32:1 int32:0
Roll || float[] int32:1 int32:0
Roll || float[2,3] int32[1,1] int32:0
ReverseSequence | seq_dim=i:1 | float[2,4] int64[2]
ReverseSequence | seq_dim=i:1 | float[2,4] int64[3]
ReverseSequence | seq_dim=i:2 | float[2,4] int64[2]
ReverseSequence | seq_dim=i:1 | float? int64[2]
Diag || float[2,3]
Diag || float[]
MatrixDiag || float[2,3]
MatrixDiag || float[]
MatrixDiagPart || float[2,3,4]
MatrixDiagPart || float[2,3,?]
MatrixDiagPart || float[3]
MatrixSetDiag || float[2,3,4] float[2,3]
MatrixSetDiag || float[3] float[3]
MatrixDiagV3 || float[3] int32:0 int32:-1 int32:-1 float:0
MatrixDiagV3 || float[2,3] int32:1 int32:-1 int32:-1 float:0
MatrixDiagV3 || float[3,3] int32:[-1,1] int32:-1 int32:-1 float:0
MatrixDiagV3 || float[3] int32? int32:-1 int32:-1 float:0
MatrixDiagV3 || float[3] int32:0 int32:3 int32:5 float:0
MatrixDiagPartV3 || float[2,3,4] int32:0 float:0
MatrixDiagPartV3 || float[2,3,4] int32:[-1,1] float:0
MatrixDiagPartV3 || float[2,3,4] int32? float:0
MatrixDiagPartV3 || float[3] int32:0 float:0
MatrixSetDiagV3 || float[2,3,4] float[2,3] int32:0
SpaceToBatchND || float[1,4,4,1] int32:[2,2] int32[2,2]
SpaceToBatchND || float[1,3,4,1] int32:[2,2] int32[2,2]
SpaceToBatchND || float[1,3,4,1] int32:[2,2] int32[2,2]
SpaceToBatchND || float[?,4,4,1] int32:[2,2] int32[2,2]
SpaceToBatchND || float? int32:[2,2] int32[2,2]
BatchToSpaceND || float[4,2,2,1] int32:[2,2] int32[2,2]
BatchToSpaceND || float[3,2,2,1] int32:[2,2] int32[2,2]
SpaceToDepth | block_size=i:2 | float[1,4,4,1]
SpaceToDepth | block_size=i:2 | float[1,3,4,1]
DepthToSpace | block_size=i:2 | float[1,2,2,4]
DepthToSpace | block_size=i:2 | float[1,2,2,3]
DepthToSpace | block_size=i:2 | float[2,2,4]
EnsureShape | shape=sh:2,? | float[?,3]
EnsureShape | shape=sh:3,2 | float[2,3]
EnsureShape | shape=sh:3 | float?
Bitcast | type=t:int32 | float[2,3]
BarrierInsertMany | component_index=i:0 | ref-string[2] string[3] float[3,2]
BarrierInsertMany | component_index=i:0 | ref-string[2] string[3] float[2]
BarrierInsertMany | component_index=i:0 | ref-string[2] string[3,1] float[3]
BarrierInsertMany | component_index=i:0 | ref-string[2] string? float[]
BarrierInsertMany | component_index=i:0 | ref-string[3] string? float?
BarrierInsertMany | component_index=i:0 | ref-string[2] string? float?
SegmentSum || float[4,2] int32[4]
SegmentSum || float? int32[4]
SegmentSum || float[] int32[4]
UnsortedSegmentSum || float[4,2] int32[4] int32:3
UnsortedSegmentSum || float[4,2] int32[4] int32[]
UnsortedSegmentSum || float[4,2] int32[3] int32:3
UnsortedSegmentSum || float[4,2] int32? int32:3
DynamicPartition | num_partitions=i:2 | float[4,2] int32[4]
DynamicPartition | num_partitions=i:2 | float[4,2] int32[3]
DynamicStitch || ( int32:[1,0] int32:[2] ) ( float[2,3] float[1,3] )
DynamicStitch || ( int32[2] int32:[2] ) ( float[2,3] float[1,3] )
DynamicStitch || ( int32:[1,0] int32:[2] ) ( float[2,3] float[1,2] )
Bincount || int32[4] int32:5 float[0]
Bincount || int32[4] int32[] float[0]
DenseBincount || int32[4] int32:5 float[0]
DenseBincount || int32[3,4] int32:5 float[0]
DenseBincount || int32? int32:5 float[0]
HistogramFixedWidth || float[4] float[2] int32:5
NthElement || float[2,3] int32:1
NthElement || float[] int32:1
LowerBound || float[2,3] float[2,5]
LowerBound || float[3] float[2,5]
ListDiff || float[3] float[2]
UniqueWithCounts || float[3]
UniqueWithCounts || float[3,2]
BroadcastArgs || int32[2] int32[3]
BroadcastGradientArgs || int32[2] int32[3]
ConcatOffset || int32:1 ( int32[3] int32[3] )
Multinomial || float[2,3] int32:4
Multinomial || float? int32[]
Multinomial || float[2] int32:4
DecodePng || string[]
DecodePng | channels=i:3 | string[]
DecodePng | channels=i:-1 | string[]
DecodePng || string[2]
DecodePng || string?
DecodeWav || string?
DecodeWav || string[1]
DecodeWav | desired_channels=i:2 desired_samples=i:9 | string[]
DecodeWav | desired_channels=i:0 | string[]
DecodeWav | desired_channels=i:-2 | string[]
DecodeWav | desired_channels=i:-3 desired_samples=i:-2 | string[]
DecodeWav | desired_samples=i:-2 | string[]
EncodeWav || float[?,2] int32[]
EncodeWav || float[2] int32[]
DecodeJpeg | channels=i:1 | string[]
DecodeBmp | channels=i:4 | string?
DecodeGif || string[]
DecodeGif || string[1]
DecodeImage || string[]
DecodeImage | expand_animations=b:false channels=i:3 | string[]
DecodeImage | channels=i:-2 | string[]
DecodeAndCropJpeg || string[] int32:[1,2,3,4]
DecodeAndCropJpeg | channels=i:3 | string[] int32[4]
DecodeAndCropJpeg || string[] int32[3]
DecodeAndCropJpeg || string[] int32[]
DecodeAndCropJpeg || string[] int32?
ExtractJpegShape || string[]
ExtractJpegShape || string[2]
EncodePng || uint8[2,3,1]
EncodePng || uint8[5,?,2,3,1]
EncodePng || uint8[2,3]
EncodePng || uint8?
EncodeJpeg || uint8[2,3,1]
EncodeJpeg || uint8[2,3]
EncodeJpeg || uint8?
EncodeJpegVariableQuality || uint8[2,3,1] int32[]
EncodeJpegVariableQuality || uint8[2,3,1] int32[1]
FakeQuantWithMinMaxVars || float[2,?] float[] float[]
FakeQuantWithMinMaxVars || float[2] float[1] float[]
FakeQuantWithMinMaxVarsPerChannel || float[2,3] float[3] float[?]
FakeQuantWithMinMaxVarsPerChannel || float[2,3] float[2] float[3]
FakeQuantWithMinMaxVarsPerChannel || float? float[2] float[3]
FakeQuantWithMinMaxVarsPerChannel || float[] float[2] float[3]
FakeQuantWithMinMaxArgs || float[2,?]
FakeQuantWithMinMaxArgsGradient || float[2,?] float[?,3]
FakeQuantWithMinMaxVarsGradient || float[2,?] float[?,3] float[] float[]
FakeQuantWithMinMaxVarsGradient || float[2,?] float[?,3] float[2] float[]
FakeQuantWithMinMaxVarsPerChannelGradient || float[2,?] float[2,3] float[?] float[3]
FakeQuantWithMinMaxVarsPerChannelGradient || float[2,2] float[2,3] float[?] float[3]
FakeQuantWithMinMaxVarsPerChannelGradient || float? float? float[?] float[3]
FakeQuantWithMinMaxVarsPerChannelGradient || float[] float[] float[?] float[3]
FakeQuantWithMinMaxVarsPerChannelGradient || float[2,2] float[2,2] float[?] float[3]
FakeQuantWithMinMaxVarsPerChannelGradient || float[2,2] float[2,2] float[?] float[]
QuantizeAndDequantizeV2 || float[2,?] float[] float?
QuantizeAndDequantizeV2 || float[2,?] float[] float[2]
QuantizeAndDequantizeV2 | axis=i:1 | float[2,3] float[?] float[3]
QuantizeAndDequantizeV2 | axis=i:1 | float[2,3] float[2] float[3]
QuantizeAndDequantizeV2 | axis=i:1 | float[2,3] float[3] float[2]
QuantizeAndDequantizeV2 | axis=i:2 | float[2,3] float[3] float[2]
QuantizeAndDequantizeV2 | axis=i:-2 | float[2,3] float[3] float[2]
QuantizeAndDequantizeV2 | axis=i:1 | float? float[3] float[2]
QuantizeAndDequantizeV3 || float[2,?] float[] float? int32[]
QuantizeAndDequantizeV3 || float[2,?] float[] float? int32[1]
QuantizeAndDequantizeV4 | axis=i:1 | float[2,3] float[?] float[3]
QuantizeAndDequantizeV4Grad || float[2,?] float[?,3] float[] float[]
QuantizeAndDequantizeV4Grad || float[2,?] float[?,3] float? float[]
QuantizeAndDequantizeV4Grad || float[2,4] float[?,3] float? float[]
QuantizeAndDequantizeV4Grad | axis=i:1 | float[2,?] float[2,3] float[?] float[3]
QuantizeAndDequantizeV4Grad | axis=i:1 | float[2,?] float[2,3] float[2] float[3]
QuantizeV2 | T=t:quint8 | float[2,?] float[] float[]
QuantizeV2 | T=t:quint8 | float[2,?] float[2] float[]
QuantizeV2 | T=t:quint8 axis=i:1 | float[2,3] float[?] float[?]
QuantizeV2 | T=t:quint8 axis=i:1 | float[2,3] float[2] float[?]
QuantizeV2 | T=t:quint8 axis=i:2 | float[2,3] float[2] float[?]
QuantizeV2 | T=t:quint8 axis=i:1 | float? float[2] float[?]
QuantizeV2 | T=t:quint8 axis=i:-2 | float[2,3] float[] float[]
SparseTensorDenseMatMul || int64[?,2] float[?] int64:[4,3] float[3,5]
SparseTensorDenseMatMul || int64[?,2] float[?] int64:[4,3] float[4,5]
SparseTensorDenseMatMul || int64[?,2] float[?] int64[2] float[4,5]
SparseTensorDenseMatMul || int64[?,2] float[?] int64? float?
SparseTensorDenseMatMul | adjoint_a=b:true adjoint_b=b:true | int64[?,2] float[?] int64:[4,3] float[3,4]
SparseTensorDenseMatMul || int64[?] float[?] int64:[4,3] float[4,5]
SparseTensorDenseMatMul || int64[?,2] float[] int64:[4,3] float[4,5]
SparseTensorDenseMatMul || int64[?,2] float[?] int64:[4,3] float[4]
SparseDenseCwiseAdd || int64[?,2] float[?] int64[2] float[2]
SparseDenseCwiseMul || int64[4,2] float[?] int64[2] float[2]
SparseDenseCwiseDiv || int64[2] float[?] int64[2] float[2]
SparseDenseCwiseDiv || int64? float[?] int64[2] float[2]
SparseAdd || int64[?,2] float[?] int64[2] int64[?,2] float[?] int64[2] float[]
SparseAdd || int64[?,2] float[?] int64? int64[?,2] float[?] int64[2] float[]
SparseAdd || int64[?,2] float[?] int64[2,1] int64[?,2] float[?] int64[2] float[]
SparseTensorDenseAdd || int64[?,2] float[?] int64[2] float[2,?]
SparseAddGrad || float[?] int64[3,2] int64[?,2] int64[?,2]
SparseAddGrad || float[?] int64[3] int64[?,2] int64[?,2]
SparseAddGrad || float[?] int64? int64? int64[?,2]
SparseSparseMaximum || int64[?,2] float[?] int64[2] int64[?,2] float[?] int64[2]
SparseSparseMaximum || int64[?] float[?] int64[2] int64[?,2] float[?] int64[2]
SparseSparseMinimum || int64[?,?] float[?] int64[2] int64[?,2] float[?,1] int64[2]
SparseReduceSum || int64[?,2] float[?] int64:[2,3] int32:[1]
SparseReduceSum | keep_dims=b:true | int64[?,2] float[?] int64:[2,3] int32:[-1]
SparseReduceSum || int64[?,2] float[?] int64[2] int32:[1]
SparseReduceMax || int64[?,2] float[?] int64:[2,3] int32[?]
SparseReduceMax || int64[?,2] float[?] int64:[2,3] int32:0
SparseReduceSumSparse || int64[?,2] float[?] int64:[2,3] int32[?]
SparseReduceMaxSparse || int64[?,2] float[?] int64:[2,3] int32[?]
DenseToDenseSetOperation | set_operation=s:union | int32[2,3] int32[2,4]
DenseToDenseSetOperation | set_operation=s:union | int32? int32[2,4]
DenseToDenseSetOperation | set_operation=s:union | int32? int32?
DenseToSparseSetOperation | set_operation=s:union | int32[2,3] int64[?,2] int32[?] int64[2]
SparseToSparseSetOperation | set_operation=s:union | int64[?,2] int32[?] int64[2] int64[?,2] int32[?] int64[2]
SetSize || int64[?,2] int32[?] int64[2]
LSTMBlockCell || float[2,3] float[2,4] float[2,4] float[7,16] float[4] float[4] float[4] float[16]
LSTMBlockCellGrad | use_peephole=b:false | float[2,3] float[?,4] float[2,4] float[7,16] float[4] float[4] float[4] float[16] float[2,4] float[2,4] float[2,4] float[2,4] float[2,4] float[2,4] float[2,4] float[2,4]
LSTMBlockCellGrad | use_peephole=b:false | float? float? float[2,4] float[7,16] float[4] float[4] float[4] float[16] float[2,4] float[2,4] float[2,4] float[2,4] float[2,4] float[2,4] float[2,4] float[2,4]
BlockLSTM || int64[] float[5,2,3] float[2,4] float[2,4] float[7,16] float[4] float[4] float[4] float[16]
BlockLSTM || int64[] float[5,2,3] float[2,4] float[2,4] float[7,16] float[4] float[4] float[4] float[15]
BlockLSTM || int64[] float[5,2] float[2,4] float[2,4] float[7,16] float[4] float[4] float[4] float[16]
BlockLSTMV2 || int64[] float? float[2,4] float[2,4] float[7,16] float[4] float[4] float[4] float?
GRUBlockCell || float[2,3] float[?,4] float[7,8] float[7,4] float[8] float[4]
SparseConcat | concat_dim=i:1 | ( int64[?,2] int64[?,2] ) ( float[?] float[?] ) ( int64[2] int64[2] )
SparseConcat | concat_dim=i:1 | ( int64[2,2] int64[3,2] ) ( float[?] float[?] ) ( int64[2] int64[2] )
SparseConcat | concat_dim=i:1 | ( int64[?,2] int64[?,3] ) ( float[?] float[?] ) ( int64[2] int64[2] )
SparseConcat | concat_dim=i:1 | ( int64[?] int64[?,2] ) ( float[?] float[?] ) ( int64[2] int64[2] )
SparseConcat | concat_dim=i:1 | ( int64? int64[?,2] ) ( float[?] float? ) ( int64? int64[?] )
SparseSplit | num_split=i:2 | int64[] int64[?,2] float[?] int64[2]
SparseSplit | num_split=i:2 | int64[] int64[?] float[?] int64[2]
SparseSplit | num_split=i:2 | int64[] int64? float[?] int64?
SparseSlice || int64[?,2] float[?] int64[2] int64[2] int64[2]
SparseSlice || int64[3,2] float[?] int64? int64[2] int64[2]
SparseSlice || int64[3,2] float[?] int64[2] int64[3] int64[2]
SparseSlice || int64[3] float[?] int64[2] int64[2] int64[2]
SparseSliceGrad || float[?] int64[3,2] int64[2] int64[?,2]
SparseSliceGrad || float[?] int64[3] int64[2] int64[?,2]
DeserializeSparse | dtype=t:float Tserialized=t:string | string[3]
DeserializeSparse | dtype=t:float Tserialized=t:string | string[4,2,3]
DeserializeSparse | dtype=t:float Tserialized=t:string | string?
DeserializeSparse | dtype=t:float Tserialized=t:string | string[2,?]
DeserializeSparse | dtype=t:float Tserialized=t:string | string[]
DeserializeSparse | dtype=t:float Tserialized=t:string | string[2,4]
DeserializeManySparse | dtype=t:float | string[4,3]
DeserializeManySparse | dtype=t:float | string?
DeserializeManySparse | dtype=t:float | string[?,?]
DeserializeManySparse | dtype=t:float | string[3]
DeserializeManySparse | dtype=t:float | string[2,4]
SparseReorder || int64[3,2] float[?] int64[2]
SparseReorder || int64? float? int64?
SparseReorder || int64[3] float[?] int64[2]
SparseReorder || int64[3,2] float[3,1] int64[2]
SparseReorder || int64[3,2] float[3] int64[2,1]
SparseReshape || int64[3,2] int64[2] int64[3]
SparseReshape || int64? int64[2] int64?
SparseReshape || int64[3] int64[2] int64[3]
SparseReshape || int64[3,2] int64[2] int64[3,1]
SparseReshape || int64[3,2] int64[1,2] int64[3]
SparseReshape || int64[3,2] int64:[2,3] int64:[6]
SparseReshape || int64[3,2] int64:[2,3] int64:[7]
SparseReshape || int64[3,2] int64:[2,3] int64:[-1,2]
SparseFillEmptyRows || int64[?,2] float[?] int64[2] float[]
SparseFillEmptyRows || int64[?,2] float[?] int64:[5,6] float[]
SparseFillEmptyRows || int64[4,2] float[4] int64:[5,6] float[]
SparseFillEmptyRows || int64[4,2] float[3] int64[2] float[]
SparseFillEmptyRows || int64[4,2] float[4] int64[3] float[]
SparseFillEmptyRows || int64[4,2] float[4] int64[2] float[1]
SparseFillEmptyRows || int64? float[?] int64? float[]
SparseFillEmptyRowsGrad || int64[3] float[?]
SparseFillEmptyRowsGrad || int64[3,1] float[?]
SparseFillEmptyRowsGrad || int64? float[2,2]
SparseSoftmax || int64[?,2] float[?] int64[2]
SparseSoftmax || int64[?,2] float[4] int64[2]
SparseSoftmax || int64[?] float[4] int64[2]
SparseSoftmax || int64[?,2] float[4,1] int64[2]
SparseSoftmax || int64[?,2] float? int64[]
Dequantize || quint8[2,?] float[] float[]
Dequantize || quint8[2,?] float[2] float[]
Dequantize | axis=i:1 | quint8[2,3] float[?] float[?]
Dequantize | axis=i:1 | quint8[2,3] float[2] float[?]
Dequantize | axis=i:2 | quint8[2,3] float[2] float[?]
Empty | dtype=t:float | int32:[2,3]
Empty | dtype=t:float | int32[2]
Empty | dtype=t:float | int32?
Empty | dtype=t:float | int32[2,2]
Empty | dtype=t:float | int32:[2,-1]
Empty | dtype=t:float | int32:[2,-2]
ParallelConcat | shape=sh:2,3 | ( float[1,3] float[1,3] )
ParallelConcat | shape=sh:2,? | ( float[1,3] float[1,3] )
ParallelConcat | shape=sh:2,3 | ( float[1,3] float[1,?] )
ParallelConcat | shape=sh:2,3 | ( float[1,3] float[2,3] )
ParallelConcat | shape=sh:2,3 | ( float[1,3] float? )
ParallelConcat | shape=sh:2,3 | ( float[1,3] float[1,3,1] )
ExtractVolumePatches | ksizes=li:1,2,2,2,1 strides=li:1,1,1,1,1 padding=s:VALID | float[2,4,5,6,3]
ExtractVolumePatches | ksizes=li:1,2,2,2,1 strides=li:1,2,3,1,1 padding=s:SAME | float[2,4,5,6,3]
ExtractVolumePatches | ksizes=li:1,2,2,2,1 strides=li:1,1,1,1,1 padding=s:VALID | float[2,4,6,3]
ExtractVolumePatches | ksizes=li:1,7,2,2,1 strides=li:1,1,1,1,1 padding=s:VALID | float[2,4,5,6,3]
ExtractVolumePatches | ksizes=li:1,2,2,2,1,1 strides=li:1,1,1,1,1 padding=s:VALID | float[2,4,5,6,3]
ExtractVolumePatches | ksizes=li:1,2,2,2,1 strides=li:1,1,1,1,1,1 padding=s:VALID | float[2,4,5,6,3]
ExtractVolumePatches | ksizes=li:1,2,2,2,1 strides=li:1,0,1,1,1 padding=s:VALID | float[2,4,5,6,3]
DataFormatDimMap || int32[2,?]
InplaceAdd || float[2,?] int32[1] float[1,3]
ToBool || float[3]
DeepCopy || float[3,?]
GuaranteeConst || float[?]
CheckNumericsV2 | message=s:x | float[2,?]
RaggedRange || int32[3] int32[] int32[3]
RaggedRange || int32[] int32[] int32[]
RaggedRange || int32? int32[4] int32[]
RaggedRange || int32? int32? int32[]
RaggedRange || int32[2] int32[3] int32[]
RaggedRange || int32[2,2] int32[3] int32[]
RaggedTensorToSparse || ( int64[4] ) float[5]
RaggedTensorToSparse || ( int64[4] int64? ) float[5,2]
RaggedTensorToSparse || ( int64[4] ) float?
RaggedTensorToSparse || ( int64[4,2] ) float[5]
RaggedTensorToSparse || ( int64[4] ) float[]
RaggedGather | OUTPUT_RAGGED_RANK=i:1 | ( int64[4] ) float[5] int32[3]
RaggedGather | OUTPUT_RAGGED_RANK=i:2 | ( int64[4] ) float[5,2] int32[3,4]
RaggedGather | OUTPUT_RAGGED_RANK=i:1 | ( int64[4] ) float? int32?
RaggedGather | OUTPUT_RAGGED_RANK=i:2 | ( int64[4] ) float[5] int32[3]
RaggedGather | OUTPUT_RAGGED_RANK=i:1 | ( int64[4,1] ) float[5] int32[3]
RaggedGather | OUTPUT_RAGGED_RANK=i:1 | ( int64[4] ) float[] int32[3]
RaggedTensorToTensor | row_partition_types=ls:ROW_SPLITS | int64:[-1,-1] float[5] float[] ( int64[4] )
RaggedTensorToTensor | row_partition_types=ls:ROW_SPLITS | int64[2] float[5] float[] ( int64[4] )
RaggedTensorToTensor | row_partition_types=ls:ROW_SPLITS | int64:-1 float[5] float[] ( int64[4] )
RaggedTensorToTensor | row_partition_types=ls:ROW_SPLITS | int64? float[5,3] float[] ( int64[4] )
RaggedTensorToTensor | row_partition_types=ls:ROW_SPLITS | int64:[3,-1,3] float[5,3] float[3] ( int64[4] )
RaggedTensorToTensor | row_partition_types=ls:ROW_SPLITS | int64:[3,-1,4] float[5,3] float[3] ( int64[4] )
RaggedTensorToTensor | row_partition_types=ls:ROW_SPLITS | int64:[3,-1] float? float[] ( int64[4] )
RaggedTensorToTensor | row_partition_types=ls:FIRST_DIM_SIZE,VALUE_ROWIDS | int64:[-1,4] float[5] float[] ( int64[] int64[5] )
RaggedTensorToTensor | row_partition_types=ls:ROW_SPLITS | int64:[3,-1,3] float[5,3] float[2] ( int64[4] )
RaggedTensorToTensor | row_partition_types=ls:ROW_SPLITS | int64:[3,-1,3] float[5,3] float[1,3] ( int64[4] )
RaggedTensorToTensor | row_partition_types=ls:ROW_SPLITS | int64:3 float[5,3] float[1,3] ( int64[4] )
RaggedFillEmptyRows || int64[4] float[4] int64[] float[]
RaggedFillEmptyRows || int64[4] float[4] int64:6 float[]
RaggedFillEmptyRows || int64[4] float[5] int64[] float[]
RaggedFillEmptyRows || int64[4,1] float[4] int64[] float[]
RaggedFillEmptyRows || int64[4] float[4] int64[1] float[]
RaggedFillEmptyRows || int64[4] float[4] int64[] float[1]
RaggedFillEmptyRowsGrad || int64[4] float[6]
RaggedFillEmptyRowsGrad || int64? float[6]
RaggedFillEmptyRowsGrad || int64[4,1] float[6]
RaggedFillEmptyRowsGrad || int64[4] float[6,1]
DenseCountSparseOutput | binary_output=b:false | int64[5] float[0]
DenseCountSparseOutput | binary_output=b:false | int64[2,5] float[0]
DenseCountSparseOutput | binary_output=b:false | int64? float?
DenseCountSparseOutput | binary_output=b:false | int64[2,5] float[2,5]
DenseCountSparseOutput | binary_output=b:false | int64[2,5] float[5]
DenseCountSparseOutput | binary_output=b:false | int64[2,5,1] float[0]
SparseCountSparseOutput | binary_output=b:false | int64[4,2] int64[4] int64[2] float[0]
SparseCountSparseOutput | binary_output=b:false | int64[4,1] int64[4] int64[1] float[0]
SparseCountSparseOutput | binary_output=b:false | int64? int64? int64? float?
SparseCountSparseOutput | binary_output=b:false | int64? int64? int64[2] float?
RaggedCountSparseOutput | binary_output=b:false | int64[4] int64[5] float[0]
RaggedCountSparseOutput | binary_output=b:false | int64? int64? float?
SparseBincount || int64[4,2] int64[4] int64[2] int64:5 float[0]
SparseBincount || int64[4,2] int64[4] int64:[3,4] int64:5 float[0]
SparseBincount || int64[4,1] int64[4] int64[1] int64:5 float[0]
SparseBincount || int64? int64? int64? int64[] float?
SparseBincount || int64? int64? int64[1] int64[1] float?
SparseBincount || int64[4,2] int64[4] int64[2] int64:-5 float[0]
RaggedBincount || int64[4] int64[5] int64:8 float[0]
RaggedBincount || int64? int64[5] int64[] float[0]
RaggedBincount || int64? int64[5] int64[1] float[0]
RaggedBincount || int64[4] int64[5] int64:-8 float[0]
SparseCross | hashed_output=b:true num_buckets=i:5 hash_key=i:1 out_type=t:int64 internal_type=t:int64 | ( int64[3,2] ) ( string[3] ) ( int64[2] ) ( string[3,1] )
SparseCrossV2 || ( int64[3,2] ) ( string[3] ) ( int64[2] ) ( string[3,1] ) string[]
SparseCrossHashed || ( int64[3,2] ) ( string[3] ) ( int64[2] ) ( string[3,1] ) int64[] bool[] int64[2]
RaggedCross | input_order=s:RD hashed_output=b:true num_buckets=i:5 hash_key=i:1 out_values_type=t:int64 out_row_splits_type=t:int64 | ( string[3] ) ( int64[4] ) ( ) ( ) ( ) ( string[3,1] )
RaggedCross | input_order=s:RD hashed_output=b:true num_buckets=i:5 hash_key=i:1 out_values_type=t:int64 out_row_splits_type=t:int64 | ( string[3] ) ( int64? ) ( ) ( ) ( ) ( string[3,1] )
'''

TYPES = {'float': tf.float32, 'double': tf.float64, 'complex64': tf.complex64, 'int32': tf.int32, 'int64': tf.int64,
         'uint64': tf.uint64, 'uint8': tf.uint8, 'quint8': tf.quint8, 'half': tf.float16, 'bool': tf.bool, 'string': tf.string}
DTYPE_ENUM = {k: t.as_datatype_enum for k, t in TYPES.items()}


def parse_shape(text):
  if text == '':
    return []
  return [None if d == '?' else int(d) for d in text.split(',')]


def make_input(text, index):
  name = 'i%d' % index
  if text.startswith('ref-'):
    kind, shape = text[4:-1].split('[')
    return tf.raw_ops.VariableV2(shape=parse_shape(shape), dtype=TYPES[kind], name=name)
  if text.startswith('handle-'):
    kind, shape = text[7:-1].split('[')
    return tf.raw_ops.VarHandleOp(shape=parse_shape(shape), dtype=TYPES[kind], name=name)
  if ':' in text:
    kind, value = text.split(':')
    if value.startswith('['):
      value = [int(v) for v in value[1:-1].split(',') if v]
    else:
      value = float(value) if '.' in value else int(value)
    return v1.constant(value, TYPES[kind], name=name)
  if text.endswith('?') and '[' not in text:
    return v1.placeholder(TYPES[text[:-1]], name=name)
  kind, shape = text[:-1].split('[')
  return v1.placeholder(TYPES[kind], parse_shape(shape), name=name)


def attr_proto(text):
  kind, value = text.split(':', 1)
  av = v1.AttrValue()
  if kind == 'i': av.i = int(value)
  elif kind == 'f': av.f = float(value)
  elif kind == 'b': av.b = value == 'true'
  elif kind == 't': av.type = DTYPE_ENUM[value]
  elif kind == 's': av.s = value.encode()
  elif kind == 'sh':
    if value == '?':
      av.shape.unknown_rank = True
    else:
      av.shape.SetInParent()
      for d in value.split(','):
        if d: av.shape.dim.add().size = -1 if d == '?' else int(d)
  elif kind == 'li':
    av.list.SetInParent()
    av.list.i.extend(int(v) for v in value.split(',') if v)
  elif kind == 'ls':
    av.list.s.extend(v.encode() for v in value.split(','))
  elif kind == 'lt':
    av.list.type.extend(DTYPE_ENUM[v] for v in value.split(','))
  return av.SerializeToString()


def show_shape(shape):
  if shape.rank is None:
    return '?'
  return '[' + ','.join('?' if d is None else str(d) for d in shape.as_list()) + ']'


def run(op, attrs, inputs):
  graph = tf.Graph()
  with graph.as_default():
    made, group, index = [], None, 0
    for text in inputs:
      if text == '(':
        group = []
      elif text == ')':
        made.append(group)
        group = None
      else:
        value = make_input(text, index)
        index += 1
        (made if group is None else group).append(value)
    with graph._c_graph.get() as cg:
      desc = c.TF_NewOperation(cg, op, 'n')
      for value in made:
        if isinstance(value, list):
          c.TF_AddInputList(desc, [v._as_tf_output() for v in value])
        else:
          c.TF_AddInput(desc, value._as_tf_output())
      for attr in attrs:
        name, value = attr.split('=', 1)
        c.TF_SetAttrValueProto(desc, name, attr_proto(value))
      try:
        c.TF_FinishOperation(desc)
      except Exception as e:
        return '! ' + str(e).replace('\n', '\\n').replace('\t', '\\t')
    graph._add_new_tf_operations()
    node = graph.get_operation_by_name('n')
    return ' '.join(show_shape(out.shape) for out in node.outputs)


def main():
  for line in CASES.strip().splitlines():
    op, attrs, inputs = [p.strip() for p in line.replace('||', '| |').split('|')]
    result = run(op, attrs.split(), inputs.split())
    sys.stdout.write('\t'.join([op, attrs, inputs, result]) + '\n')


main()
