"""Check certificates of C4: python check_certificate.py FILE...

It is written from docs/certificate-format.md alone, needs only Python, and does not search.
"""

import hashlib
import struct
import sys
from pathlib import Path

HEADER, HALF = struct.Struct("<8sHBBBBHQIIQ"), struct.Struct("<BbHIQ")
CHECKSUM = 32


class NoProofError(Exception):
    """The file proves nothing; the text gives the reason."""


def demand(condition, text):
    if not condition:
        raise NoProofError(text)


class Board:
    """A position is two words: the stones of the side to move, and the stones of both sides."""

    def __init__(self, width, height):
        self.width, self.height, self.cells = width, height, width * height
        self.step = height + 1
        self.bottom = sum(1 << column * self.step for column in range(width))
        self.columns = [(1 << height) - 1 << column * self.step for column in range(width)]
        self.all = sum(self.columns)
        self.tops = self.bottom << (height - 1)
        self.flat = (self.step, self.step - 1, self.step + 1)

    def mirror(self, bits):
        piece = (1 << self.step) - 1
        mirrored = 0
        for _ in range(self.width):
            mirrored = mirrored << self.step | bits & piece
            bits >>= self.step
        return mirrored

    def canonical(self, own, mask):
        key = own | mask + self.bottom
        return min(key, self.mirror(key))

    def split(self, key):
        mask = 0
        for column in range(self.width):
            pile = key >> column * self.step & (1 << self.step) - 1
            demand(pile, "a column of the start has no height")
            mask |= (1 << pile.bit_length() - 1) - 1 << column * self.step
        return key & mask, mask

    def wins(self, stones, mask):
        """The empty squares that complete a four."""
        found = stones << 1 & stones << 2 & stones << 3
        for step in self.flat:
            up, down = stones << step & stones << 2 * step, stones >> step & stones >> 2 * step
            found |= up & (stones << 3 * step | stones >> step)
            found |= down & (stones >> 3 * step | stones << step)
        return found & self.all & ~mask

    def four(self, stones, steps=()):
        """Whether the stones have a four, in the given directions or in any."""
        for step in steps or (1, *self.flat):
            pairs = stones & stones >> step
            if pairs & pairs >> 2 * step:
                return True
        return False

    def playable(self, mask):
        return mask + self.bottom & self.all


def each(bits):
    """The bits of a word, lowest first."""
    while bits:
        bit = bits & -bits
        bits ^= bit
        yield bit


class Rules:
    """A position with M to move; each rule proves that M scores at most T (``most``)."""

    def __init__(self, board, own, mask, most):
        self.board, self.own, self.most = board, own, most
        self.stones = mask.bit_count()
        self.wins = board.wins(own ^ mask, mask)
        self.empty = board.all & ~mask
        self.first = mask + board.bottom
        self.offsets = [self.first & board.all]
        while self.offsets[-1]:
            self.offsets.append(self.offsets[-1] << 1 & board.all)
        self.even, self.odd = sum(self.offsets[::2]), sum(self.offsets[1::2])
        self.odd_tops = self.even & board.tops
        self.tops = self.odd_tops & ~self.upwards(self.wins & self.odd)
        self.moves_left = (board.cells + 1 - self.stones - 2 * most) // 2
        self.relevant = self.tops & sum(self.offsets[: max(0, 2 * self.moves_left - 3)])

    def upwards(self, squares):
        """The squares and all squares above them."""
        found = 0
        while squares:
            found |= squares
            squares = squares << 1 & self.board.all
        return found

    def no_four_with_one_of_each(self, base, bottoms):
        four = self.board.four
        if not four(base | sum(bottoms)):
            return True
        if len(bottoms) == 2:
            return not any(four(base | bottom) for bottom in bottoms)
        if len(bottoms) != 4:
            return False
        a, b, c, d = bottoms
        return any(
            not any(four(base | one | other) for one in pair for other in rest)
            for pair, rest in (((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c)))
        )

    def pairing(self, tops, far=0):
        paired = sum(column for column in self.board.columns if column & tops)
        bottoms = list(each(self.first & paired))
        mine = self.even & ~paired | self.odd & paired
        useful = self.wins & (self.odd & ~paired | self.even & paired & ~self.first)
        sealed = self.upwards(useful)
        if -((sealed.bit_count() + (sealed & self.board.tops).bit_count()) // 2) > self.most:
            return False
        return self.no_four_with_one_of_each(self.own | mine & ~sealed & ~far, bottoms)

    def by_stones(self):
        return self.most >= 0 and (self.board.cells - 1 - self.stones) // 2 <= self.most

    def follow_up(self):
        return self.tops.bit_count() % 2 == 0 and self.pairing(self.tops)

    def turned_column(self):
        more = self.upwards(self.wins & self.even & ~self.first) & self.board.tops
        more |= self.odd_tops if self.most >= 0 else 0
        is_odd = self.tops.bit_count() % 2 == 1
        return is_odd and any(self.pairing(self.tops | top) for top in each(more & ~self.tops))

    def horizon(self):
        far = sum(self.offsets[max(0, 2 * self.moves_left - 1) :])
        applies = self.most >= 0 and self.relevant.bit_count() % 2 == 0
        return applies and self.pairing(self.relevant, far)

    def one_odd_column(self):
        if self.most < 0 or self.relevant.bit_count() != 1:
            return False
        column = next(column for column in self.board.columns if column & self.relevant)
        above = self.even & self.upwards(self.wins & self.odd)
        mine = self.empty & ~column & ~above | self.even & column
        return not self.board.four(self.own | mine, self.board.flat)

    def no_flat_four(self):
        return self.most >= 0 and not self.board.four(self.own | self.empty, self.board.flat)


RULES = [Rules.by_stones, Rules.follow_up, Rules.turned_column]
RULES += [Rules.horizon, Rules.one_odd_column, Rules.no_flat_four]


class Reader:
    """Decodes the bits of a half: an adaptive binary range decoder."""

    def __init__(self, code):
        demand(len(code) >= 5 and code[0] == 0, "the code has an invalid beginning")
        self.code, self.place, self.range, self.cells = code, 5, 0xFFFFFFFF, {}
        self.number = int.from_bytes(code[1:5], "big")
        demand(self.number < self.range, "the code has an invalid beginning")

    def bit(self, *cell):
        probability = self.cells.get(cell, 1 << 14)
        bound = (self.range >> 15) * probability
        bit = self.number >= bound
        if bit:
            self.number -= bound
            self.range -= bound
            probability -= probability >> 5
        else:
            self.range = bound
            probability += (1 << 15) - probability >> 5
        self.cells[cell] = probability
        while self.range < 1 << 24:
            demand(self.place < len(self.code), "the code ends before the proof does")
            self.range <<= 8
            self.number = self.number << 8 | self.code[self.place]
            self.place += 1
        return bit


def settled(board, own, mask, stones, least, provers_move):
    in_time = provers_move and (board.cells + 1 - stones) // 2 >= least
    is_won = in_time and board.wins(own, mask) & board.playable(mask)
    return is_won or -((board.cells + (not provers_move) - stones) // 2) >= least


def after_move(board, reader, own, mask, stones):
    """The position after the prover's move."""
    mine, theirs, moves = board.wins(own, mask), board.wins(own ^ mask, mask), board.playable(mask)
    demand(not mine & moves, "the prover wins too late")
    if threats := theirs & moves:
        moves = threats if threats.bit_count() == 1 else 0
    moves = list(each(moves & ~(theirs >> 1)))
    demand(moves, "the prover has no sound move")
    for move in moves[:-1]:
        new = board.wins(own | move, mask | move) & ~mine
        kind = 2 if new & board.playable(mask | move) else 1 if new else 0
        if reader.bit(stones, move.bit_length() // board.step, kind):
            break
    else:
        move = moves[-1]
    return board.canonical(own ^ mask, mask | move)


def rule_at(board, reader, own, mask, stones, allowed):
    threats = (board.wins(own ^ mask, mask) & board.playable(mask)).bit_count()
    if not allowed or threats > 1 or not reader.bit(stones, -1, threats):
        return None
    for rule in allowed[:-1]:
        if reader.bit(stones, -2, rule):
            return rule
    return allowed[-1]


def check_half(board, start, code, least, provers_move, counts, allowed):
    reader = Reader(code)
    own, mask = board.split(start)
    stones = mask.bit_count()
    ply = [] if settled(board, own, mask, stones, least, provers_move) else [start]
    for number, count in enumerate(counts):
        demand(len(ply) == count, f"ply {number} has {len(ply)} positions, not {count}")
        following = set()
        for key in ply:
            own, mask = board.split(key)
            if provers_move:
                following.add(after_move(board, reader, own, mask, stones))
                continue
            demand(not board.wins(own, mask) & board.playable(mask), "the other side wins")
            rule = rule_at(board, reader, own, mask, stones, allowed)
            if rule is not None:
                demand(RULES[rule](Rules(board, own, mask, -least)), f"rule {rule} does not hold")
                continue
            demand(mask != board.all, "the board is full and the bound not reached")
            for move in each(board.playable(mask)):
                if not settled(board, own ^ mask, mask | move, stones + 1, least, True):
                    following.add(board.canonical(own ^ mask, mask | move))
        ply, stones, provers_move = sorted(following), stones + 1, not provers_move
    demand(not ply, "the file ends before the proof does")
    demand(reader.place == len(code) and not reader.number, "there is data after the proof")


def check(data):
    """Return the proven claim as text."""
    magic, form, width, height, stones, count, rules, key, _, zero, size = HEADER.unpack_from(data)
    demand((magic, form) == (b"\x89C4proof", 1), "not a certificate of format 1")
    demand(size == len(data), "the file does not have the stated length")
    demand(hashlib.sha256(data[:-CHECKSUM]).digest() == data[-CHECKSUM:], "the checksum is wrong")
    demand(width and 0 < height < 20 and width * (height + 1) <= 64, "impossible board")
    board = Board(width, height)
    own, mask = board.split(key)
    demand(own | mask + board.bottom == key == board.canonical(own, mask), "not a canonical key")
    demand(mask | board.all == board.all and mask != board.all, "not an open position")
    demand(mask.bit_count() == stones and own.bit_count() == stones // 2, "wrong stones")
    demand(not board.four(own) and not board.four(own ^ mask), "the game is over")
    demand(not zero and rules < 1 << len(RULES) and count in (1, 2), "impossible header")
    allowed = [rule for rule in range(len(RULES)) if rules >> rule & 1]
    place, halves = HEADER.size, []
    for _ in range(count):
        upper, bound, plies, length, positions = HALF.unpack_from(data, place)
        place += HALF.size
        counts = struct.unpack_from(f"<{plies}I", data, place)
        place += 4 * plies
        demand(sum(counts) == positions and 0 not in counts, "wrong numbers of positions")
        demand(upper < 2 and -32 <= bound <= 32, "impossible bound")
        halves.append((upper, bound, counts, length))
    demand([half[0] for half in halves] in ([0], [1], [0, 1]), "wrong halves")
    demand(place + sum(half[3] for half in halves) + CHECKSUM == size, "wrong lengths")
    for upper, bound, counts, length in halves:
        least = -bound if upper else bound
        check_half(board, key, data[place : place + length], least, not upper, counts, allowed)
        place += length
    words = [f"at {'most' if upper else 'least'} {bound}" for upper, bound, *_ in halves]
    return f"on {width}x{height} the position with key {key} scores {' and '.join(words)}"


if __name__ == "__main__":
    code = 0
    for name in sys.argv[1:]:
        try:
            print(f"{name}: proven: {check(Path(name).read_bytes())}")
        except (OSError, struct.error, NoProofError) as error:
            print(f"{name}: NOT PROVEN: {error}")
            code = 1
    sys.exit(code)
