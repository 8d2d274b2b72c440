"""Trained models and the scores measured on them."""
