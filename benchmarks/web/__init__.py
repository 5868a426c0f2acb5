"""The throughput and response times of one ``c4 serve`` under load."""
