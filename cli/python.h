// python.h - Handing Python scripts over to the Python package.
#ifndef BERTH_CLI_PYTHON_H_
#define BERTH_CLI_PYTHON_H_

#include <stdbool.h>

// True for a word that begins a program in Python: a script, -c or -m. What
// follows belongs to that program.
bool cli_is_python(const char *word);

// Returns which of |argv|, from 1 on, is a Python script to run, options before
// it included; 0 when there is none. What follows a graph or `--` is no script.
int cli_python_find(int argc, char **argv);

// Replaces this program by `python3 -m berth run SCRIPT ...`, |argv| from 1 on,
// where that package is installed. Otherwise says how to get it and returns the
// exit status.
int cli_python_run(int argc, char **argv);

#endif  // BERTH_CLI_PYTHON_H_
