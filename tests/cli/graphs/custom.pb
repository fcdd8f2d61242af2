

xPlaceholder*
dtype0

mineZeroOutFromMyLibraryx

aSnapshotx*
T0

bSnapshota*
T0

cSnapshotb*
T0

dSnapshotc*
T0