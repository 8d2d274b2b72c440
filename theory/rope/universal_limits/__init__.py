"""How far any frequencies can tell positions apart, and the temperature that it takes."""
