"""base - What every other package may ask for: messages, settings of the command, the log."""
