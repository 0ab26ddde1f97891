"""A proposal as structure: rows, blocks, sentences, amounts, dates, each with its place.

Pure functions of a sheet's text and of the boxes of its words. Every result carries offsets
in the text, so that what is quoted can be found again; nothing is rewritten.
"""
