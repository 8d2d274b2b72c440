"""The number task and the letter task: composition of layers, and the decoders that solve them."""
