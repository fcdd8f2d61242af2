"""Small TF1 programs whose graphs and values TensorFlow has recorded, by family.

A file here has CASES: by name the source of a program that begins in an empty graph with `tf` and
`np`. What it leaves in `out` is fetched, after all variables are initialised, as often as `steps`
says (once); `feed` is fed. `test_layers.py` records and compares.
"""
