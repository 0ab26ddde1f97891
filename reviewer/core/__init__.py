"""The judgement, in pure Python.

Nothing here imports Django, opens a file or a socket, or reads the clock: what is
needed comes in as an argument, so that every rule can be tested as a table.
"""
