// A player in JavaScript: plays the open column nearest to the middle.
//
// Run it as: c4 match "exec:node examples/players/center.js" random

const readline = require("node:readline");

function choose(grid) {
  const topRow = grid.split("/")[0];
  const middle = (topRow.length - 1) / 2;
  let best = -1;
  for (let column = 0; column < topRow.length; column++) {
    if (topRow[column] !== ".") continue;
    if (best < 0 || Math.abs(column - middle) < Math.abs(best - middle)) best = column;
  }
  return best;
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [command, , grid] = line.split(" ");
  if (command === "c4") console.log("ready center in JavaScript");
  else if (command === "go") console.log(`play ${choose(grid) + 1}`);
  else if (command === "quit") process.exit(0);
});
