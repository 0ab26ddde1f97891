"""Every change of state: keyword-only, typed, takes the actor, atomic."""
