"""What a policy of review is worth, measured against a reader whose faults are known.

A simulated document holds true findings; a simulated reader sees each with a chance of its
own, and adds false ones; a checker and people err at stated rates. Policies are run over it:
the naive loops, and ours, which decides by the very code that decides in production. Equal
arguments give equal numbers.
"""
