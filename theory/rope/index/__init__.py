"""The Index head: logits, feasibility, temperatures, discrepancy."""
