"""Django's SQLite backend, with its writers in a queue; see `base`."""
