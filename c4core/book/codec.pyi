from typing import Final

NOT_IN_BOOK: Final = -128
