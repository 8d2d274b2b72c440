"""Certified bounds for a concrete decoder: how little two of its outputs can differ, from its weights alone."""
