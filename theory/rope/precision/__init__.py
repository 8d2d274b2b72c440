"""What binary floating point does to the angles, cosines and positions of RoPE."""
