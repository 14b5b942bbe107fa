"""How a plan is judged: executed, grounded, authorised, decided, worded, and only then acted on."""
