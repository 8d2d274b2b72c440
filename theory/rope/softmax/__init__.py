"""From hard attention to softmax: temperatures, lost attention, and what a construction guarantees."""
