"""What goes through the broker.

``doorbell`` rings for units, ``consumer`` takes the messages, ``messaging`` has the settings for
both, ``redis_transport`` makes them safe on Redis, ``url`` checks the broker's URL.
"""
