"""What a browser asks for. A view does access, form, service, render, and nothing else."""
