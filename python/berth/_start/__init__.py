"""_start - What happens before a program runs: the command, the hook, the tables of names."""
