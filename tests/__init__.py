"""Tests of the software: imports, project files, command lines, faults."""
