"""The demo: constructions at work beside what is proved of them, and what heads of published models can tell apart."""
