"""A world of quota pools, and controllers that pace them, side by side with the clairvoyant optimum."""
