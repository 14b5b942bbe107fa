"""The public test kit: a contract suite for every port and one for apps, to be subclassed."""
