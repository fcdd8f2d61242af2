"""Summaries, and the event files that TensorBoard reads."""
