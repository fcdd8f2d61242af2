

xPlaceholder*
dtype0

mineZeroOutFromMyLibraryx
&
aQuantizeAndDequantizex*
T0
&
bQuantizeAndDequantizea*
T0
&
cQuantizeAndDequantizeb*
T0
&
dQuantizeAndDequantizec*
T0