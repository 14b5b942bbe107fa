"""Providers of the tests: real HTTP on the loopback interface, misbehaving on request."""
