"""From wiki pages to rules that can be cited: the policy, acquired and verified."""
