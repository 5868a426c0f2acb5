/* A player in C: completes its own four, else blocks the other side's, else plays near the middle.
 *
 * Build and run it:
 *     cc -O2 -o blocker examples/players/blocker.c
 *     c4 match exec:./blocker random
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

static char square[MOST][MOST]; /* square[row][column], row 0 at the top */
static int width, height;

/* The row where a stone would land, or -1 if the column is full. */
static int landing_row(int column) {
    int row = height - 1;
    while (row >= 0 && square[row][column] != '.')
        row--;
    return row;
}

/* The number of a side's stones next to a square in one direction, up to three. */
static int run(int row, int column, int down, int right, char side) {
    int length = 0;
    while (length < 3) {
        row += down;
        column += right;
        if (row < 0 || row >= height || column < 0 || column >= width)
            break;
        if (square[row][column] != side)
            break;
        length++;
    }
    return length;
}

static int completes_four(int column, char side) {
    static const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    const int row = landing_row(column);
    if (row < 0)
        return 0;
    for (int i = 0; i < 4; i++) {
        const int down = steps[i][0], right = steps[i][1];
        if (run(row, column, down, right, side) + run(row, column, -down, -right, side) >= 3)
            return 1;
    }
    return 0;
}

static int choose(void) {
    int stones[2] = {0, 0}, best = -1;
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            if (square[row][column] != '.')
                stones[square[row][column] == 'o']++;
    const char own = stones[0] == stones[1] ? 'x' : 'o';
    const char sides[2] = {own, own == 'x' ? 'o' : 'x'};
    for (int i = 0; i < 2; i++)
        for (int column = 0; column < width; column++)
            if (completes_four(column, sides[i]))
                return column;
    for (int column = 0; column < width; column++) {
        const int distance = abs(2 * column - (width - 1));
        if (landing_row(column) >= 0 && (best < 0 || distance < abs(2 * best - (width - 1))))
            best = column;
    }
    return best;
}

static void read_grid(char *text) {
    height = 0;
    for (char *row = strtok(text, "/\n"); row && height < MOST; row = strtok(NULL, "/\n")) {
        strncpy(square[height], row, MOST - 1);
        height++;
    }
    width = (int)strlen(square[0]);
}

int main(void) {
    static char line[8192], grid[8192], seconds[64];
    setvbuf(stdout, NULL, _IOLBF, 0); /* send every line immediately */
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "c4 ", 3) == 0) {
            puts("ready blocker in C");
        } else if (sscanf(line, "go %63s %8191s", seconds, grid) == 2) {
            read_grid(grid);
            printf("play %d\n", choose() + 1);
        } else if (strncmp(line, "quit", 4) == 0) {
            return 0;
        }
    }
    return 0;
}
