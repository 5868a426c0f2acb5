"""``c4 book``: opening books built, asked, checked, exchanged and drawn."""
