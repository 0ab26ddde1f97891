"""Commercial clarity: sums, prices and dates, one module each."""
