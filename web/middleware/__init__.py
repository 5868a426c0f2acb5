"""What every request passes on its way: limits, hosts and origins, headers of the answer."""
