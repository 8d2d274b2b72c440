"""Character models of several real sources, told which source a window is from or not."""
