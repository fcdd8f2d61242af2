ÝÚ

xPlaceholder*
dtype0

calltwicex

tanTanx*
T0Ž
‹

twice
x
y+
dawsonDebugNumericSummaryV2x*
T07
sumAddV2dawson:output:0dawson:output:0*
T0"
ysum:z:0