ÄÁ

xPlaceholder*
dtype0

calltwicex

tanTanx*
T0v
t

twice
x
y
dawsonSnapshotx*
T0-
sumAddV2
dawson:y:0
dawson:y:0*
T0"
ysum:z:0