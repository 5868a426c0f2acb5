"""What commands that have a job worked on share: who works, results, progress."""
