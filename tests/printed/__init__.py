"""What the commands print, kept as text: a word, digit or line that changes turns red.

    python -m tests.printed

writes what they print now into the files beside this one; the change is there to be read before it is kept.
"""
