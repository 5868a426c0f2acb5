"""What one ``c4 serve`` answers under load."""
