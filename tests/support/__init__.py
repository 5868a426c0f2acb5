"""What tests share: ``running`` and ``boards`` are rooms of their own."""
