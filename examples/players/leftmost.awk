# A player in awk: plays the leftmost open column.
#
# Run it as: c4 match "exec:awk -f examples/players/leftmost.awk" random

$1 == "c4" { print "ready leftmost in awk" }
$1 == "go" { print "play " index($3, ".") }
$1 == "quit" { exit }
{ fflush() }
