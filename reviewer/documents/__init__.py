"""A file becomes sheets. Nothing here imports Django."""
