"""How far positional and symbolic mechanisms reach under the RoPE settings of a model."""
