"""``python -m cli`` is ``c4``."""

from cli.main import main

if __name__ == "__main__":
    main()
