"""What goes through the broker.

``doorbell`` rings for units, ``consumer`` takes the messages, ``messaging`` has the settings for
both, ``redis_transport`` and ``rabbitmq_transport`` survive servers with invalid messages or
without memory, ``url`` checks the broker's URL.
"""
