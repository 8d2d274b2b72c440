"""Autoencoders of images that are told the class, and infer it from the gradient of their own likelihood."""
