"""Mutation testing of `theory` and `constructions`: does some test turn red when one operator or number is changed?

The operators, their application and the store of results are cosmic-ray's. Ours are the sample, which tests are tried
on a mutant, and the report. See docs/mutation.md.
"""
