"""The scores of all heads of a language model on a file of prompts."""
