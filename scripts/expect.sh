# Helpers for scripts that test the command line. Source this file; the current folder must be a temporary folder of the script.

fail() { echo "$(basename "$0" .sh): $*" >&2; exit 1; }

# expect CODE PATTERN COMMAND…: checks the exit code and a pattern in the output. Failures print one line to standard error: "error: …".
expect() {
  local code=$1 pattern=$2 got=0
  shift 2
  "$@" >out 2>err || got=$?
  [ "$got" = "$code" ] || fail "'$*' gave exit code $got, not $code: $(cat err)"
  grep -qE -- "$pattern" out err || fail "'$*' did not print '$pattern': $(cat out err)"
  if [ "$code" != 0 ]; then
    [ "$(grep -vcE '^warning:|^[0-9]+ % ' err)" = 1 ] && grep -q '^error: ' err || fail "'$*' must print one line 'error: …': $(cat err)"
  fi
}
