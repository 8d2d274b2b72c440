"""Which planes carry the logits of each layer's head, and where its keys and queries lie on the foremost of them."""
