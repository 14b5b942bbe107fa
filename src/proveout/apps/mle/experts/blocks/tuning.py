"""A bounded search for better parameters."""
