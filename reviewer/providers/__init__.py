"""Who answers a reading: the Messages API, or recorded answers."""
