"""Programs that tests start as processes of their own, some of them to be killed."""
