

xPlaceholder*
dtype0

mineZeroOutFromMyLibraryx

aDawsnx*
T0

bDawsna*
T0

cDawsnb*
T0

dDawsnc*
T0