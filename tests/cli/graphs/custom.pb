

xPlaceholder*
dtype0

mineZeroOutFromMyLibraryx
&
aDebugNumericSummaryV2x*
T0
&
bDebugNumericSummaryV2a*
T0
&
cDebugNumericSummaryV2b*
T0
&
dDebugNumericSummaryV2c*
T0