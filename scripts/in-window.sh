# in_window COMMAND…: runs a command that opens a window, and ends it once the window is there. Sourced; needs a display and xdotool.
in_window() {
  "$@" &
  local program=$! window=
  for _ in $(seq 600); do
    window=$(xdotool search --onlyvisible --class . 2>/dev/null | head -1 || true)
    [ -n "$window" ] && break
    kill -0 $program 2>/dev/null || { wait $program; echo "no window: the program ended" >&2; return 1; }
    sleep 0.2
  done
  kill $program 2>/dev/null || true
  wait $program 2>/dev/null || true
  [ -n "$window" ] || { echo "no window within two minutes" >&2; return 1; }
}
