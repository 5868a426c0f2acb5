"""Who works on a job: threads of this process, or workers elsewhere."""
