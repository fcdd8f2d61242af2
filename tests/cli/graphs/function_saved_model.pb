”–

xPlaceholder*
dtype0

calltwicex

tanTanx*
T0Ñ
Å

twice
x
y+
dawsonQuantizeAndDequantizex*
T0-
sumAddV2
dawson:y:0
dawson:y:0*
T0"
ysum:z:0