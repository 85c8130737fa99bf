# For scripts that try the command line; sourced. Needs $work, a folder of their own, as the current folder.

fail() { echo "$(basename "$0" .sh): $*" >&2; exit 1; }

# expect CODE PATTERN COMMAND…: the exit code, and a pattern in what it prints; failures print one line on standard error, "error: …".
expect() {
  local code=$1 pattern=$2 got=0
  shift 2
  "$@" >out 2>err || got=$?
  [ "$got" = "$code" ] || fail "'$*' gave exit code $got, not $code: $(cat err)"
  grep -qE -- "$pattern" out err || fail "'$*' printed nothing like '$pattern': $(cat out err)"
  if [ "$code" != 0 ]; then
    [ "$(grep -vcE '^warning:|^[0-9]+ % ' err)" = 1 ] && grep -q '^error: ' err || fail "'$*' must print one line 'error: …': $(cat err)"
  fi
}
