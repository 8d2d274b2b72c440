"""The RoPE settings of real models, read from config.json files."""
