"""What goes through the broker: doorbells, and the queues they ring in."""
