import numpy as np
from numpy.typing import NDArray

from c4core.dice import Dice

def stop_within(
    dice: Dice, games: int, first: int, last: int, *, width: int = 7, height: int = 6
) -> NDArray[np.uint64]: ...
