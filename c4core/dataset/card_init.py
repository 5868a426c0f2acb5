"""The data card: how a data set was made, and what is in it.

The card is JSON, in ``card.json`` and in those files whose format has a place for it::

    {"format": 2,
     "title": "30,000 positions of 7x6, with exact scores",
     "license": "cc0-1.0",
     "command": "c4 dataset build --from plies ..",     makes the same files again
     "board": "7x6",
     "source": {"kind": "plies", "first_ply": 18, ..},  how the positions were found
     "seed": 1, "asked": 30000, "positions": 30000,
     "is_all": false,                  whether the source has no more, as far as is known
     "drawn": 30010, "duplicates": 10, positions drawn, and repeated ones among them
     "filters": {"quiet": false, "decisive": false, "left_out": 0},
     "neighbours": {"choice": "keep", "dropped": 0, "linked": {"train": 410, ..}},
     "representation": ["planes"],
     "c4_version": "0.1.0", "engine_version": 1,
     "columns": [{"name": "ply", "dtype": "uint8", "shape": "(N,)", "unit": "stones", ..}, ..],
     "split": {"shares": "80/10/10", "rule": ".."},
     "sampling": "..", "labels": "..", "orientation": "..", "order": "..", "limitations": [".."],
     "splits": {"train": {"positions": 24012, "win": .., "draw": .., "loss": ..,
                          "win_in_one": .., "forced_block": .., "quiet": .., "decisive": ..,
                          "quiet_decisive": .., "plies": [{"ply": 18, ..}, ..]}, ..},
     "files": [{"name": "train.npz", "split": "train", "positions": .., "sha256": ".."}, ..]}

``files`` is in ``card.json`` only. The card contains no time and no name of a machine, so the same
command makes the same bytes. Cards of format 1 have no license, filters, neighbours, sampling,
limitations and units, and of the numbers of positions only those by value.

``making`` makes a card, ``census`` counts, ``reading`` reads and checks cards that come from
outside, ``page`` shows a card to people, with a head that ``hub`` writes for others' programs.
``wording`` has the sentences.
"""
