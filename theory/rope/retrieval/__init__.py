"""The Retrieval head, as printed and repaired: logits, feasibility, temperatures, discrepancy."""
