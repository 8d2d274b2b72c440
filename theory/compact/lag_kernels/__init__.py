"""Attention whose bias falls with the lag: slopes, windows and compact encodings in one theorem."""
