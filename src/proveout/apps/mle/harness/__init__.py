"""Where scripts compete: data prepared once, truth out of reach, every result recomputed."""
