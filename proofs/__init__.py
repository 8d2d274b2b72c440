"""Companion scripts: each prints a proof and checks every step as it is printed."""
