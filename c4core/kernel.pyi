NAME: str
