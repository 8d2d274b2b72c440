"""What positional, symbolic and mixed heads can and cannot compute."""
