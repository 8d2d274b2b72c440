"""Theorems about transformers as checkable data: statements, closed forms, and the arithmetic that proves them."""
