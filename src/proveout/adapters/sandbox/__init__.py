"""Runs scripts that nobody trusts: layers of confinement, and a fork server that starts them warm.

Processes, from outside to inside. The *supervisor* is this program. A *guard* starts the *fork
server* (the zygote), which has imported the usual libraries and sits in namespaces of its own. For
each script that one forks a process which is the first of a fresh pid namespace, furnishes its
root, gives up everything, and only then becomes the script. Modules that run below the supervisor
use the standard library alone.
"""
