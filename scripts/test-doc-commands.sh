#!/usr/bin/env bash
# Runs every command of README.md and the pages in docs/, unchanged, with the files of `vitrine sample`.
#
#   scripts/test-doc-commands.sh VITRINE [PAGE.md ...]       default: README.md and all pages in docs/
#   scripts/test-doc-commands.sh VITRINE --quick             without the pages below that take most of the time
#
# Commands are the lines of ```sh fences. Each page runs in one shell, in a new copy of the sample folder. README.md and getting-started.md create that
# folder themselves: they run in a folder with the build in it, like a checkout.
# Windows open under Xvfb: a command that opens one passes when its window is there, and is then closed. `make test` and `make demo` are not run.
# A command that stands on several pages runs once; the other pages get copies of its files.
# A fence that must not run has the line <!-- not run: REASON --> before it. Commands in fences without "sh" are an error.
set -euo pipefail
vitrine=$(realpath "${1:?usage: scripts/test-doc-commands.sh VITRINE [--quick | PAGE.md ...]}")
shift
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
slow='docs/guide/(materials|recipes|record|render)\.md'
left_out='^$'
if [ "${1:-}" = --quick ]; then left_out="^$slow\$"; shift; fi
pages=("$@")
# Pages with `make build` last: it waits until the unit tests of `make test` no longer lock the build.
[ $# -gt 0 ] || mapfile -t pages < <(find docs -name "*.md" ! -name getting-started.md | grep -vE "$left_out" | LC_ALL=C sort; echo docs/guide/getting-started.md; echo README.md)
work=$(mktemp -d)
pids=()
cleanup() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT

mkfifo "$work/display"
Xvfb -noreset -displayfd 3 -screen 0 1280x900x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
pids+=($!)
read -r number <"$work/display"
export DISPLAY=:$number LC_ALL=C.UTF-8
unset WAYLAND_DISPLAY

# Replacements for `vitrine` and `make` in the pages' shells: the same programs, with windows closed and without targets that take minutes.
cat >"$work/prelude" <<PRELUDE
set -euo pipefail
root=$root vitrine=$vitrine results=$work/results
. \$root/scripts/in-window.sh
# Runs a command, or takes the files that it wrote on another page: the same command with the same input writes the same bytes.
once() {
  local argument key
  key=\$({ printf '%s\n' "\$@"; for argument in "\$@"; do [ ! -e "\$argument" ] || find -H "\$argument" -type f -printf '%p %s\n'; done | sort; } | sha256sum | cut -c 1-32)
  if [ -d "\$results/\$key" ]; then
    cp -r "\$results/\$key/." .
    return
  fi
  mkdir -p "\$results"
  touch "\$results/start"
  "\$vitrine" "\$@"
  mkdir "\$results/\$key"
  find . -type f -newer "\$results/start" -exec cp --parents -t "\$results/\$key" {} +
}
vitrine() {
  local found; found=\$(type -P vitrine) || { echo "vitrine is not on the PATH" >&2; return 1; }
  [ "\$(realpath "\$found")" = "\$vitrine" ] || { echo "the PATH has \$found instead of \$vitrine" >&2; return 1; }
  case \$1 in
    show) in_window "\$vitrine" "\$@" ;;
    sample | render | reconstruct | optimize) once "\$@" ;;
    ar) if [ "\${2:-}" = replay ]; then once "\$@"; else "\$vitrine" "\$@"; fi ;;
    *) "\$vitrine" "\$@" ;;
  esac
}
make() {
  local argument example= arguments= target=\${1:-}
  for argument in "\$@"; do
    case \$argument in EXAMPLE=*) example=\${argument#*=} ;; ARGS=*) arguments=\${argument#*=} ;; esac
  done
  case \$target in
    test | demo) ;;
    run)
      [ -x "\$(dirname "\$vitrine")/\$example" ] || command make -C "\$root" --no-print-directory run "EXAMPLE=\$example" "ARGS=--help" >/dev/null 2>&1 || true
      [ -x "\$(dirname "\$vitrine")/\$example" ] || { echo "there is no example '\$example'" >&2; return 1; }
      if [[ " \$arguments " == *" -o "* ]]; then "\$(dirname "\$vitrine")/\$example" \$arguments; else in_window "\$(dirname "\$vitrine")/\$example" \$arguments; fi ;;
    *) command make -C "\$root" --no-print-directory "\$@" ;;
  esac
}
PRELUDE

count=0
sample=$work/sample
for page in "${pages[@]}"; do
  # Each command is preceded by its location.
  scripts/doc-commands.py "$page" >"$work/commands"
  [ -s "$work/commands" ] || continue
  folder=$work/$(tr / - <<<"${page%.md}")
  is_checkout=; case $page in README.md | */getting-started.md) is_checkout=yes ;; esac
  if [ -n "$is_checkout" ]; then
    mkdir "$folder"
    ln -s "$(dirname "$(dirname "$vitrine")")" "$folder/.build"
  else
    if [ ! -d "$sample" ]; then
      mkdir "$sample"
      (cd "$sample" && PATH=$(dirname "$vitrine"):$PATH bash -c '. "$1" && vitrine sample try' _ "$work/prelude") >/dev/null
    fi
    cp -r "$sample/try" "$folder"
  fi
  start=$SECONDS
  echo "$page:"
  path=$PATH
  [ -n "$is_checkout" ] || path=$(dirname "$vitrine"):$PATH
  {
    cat "$work/prelude"
    echo "trap 'code=\$?; [ \$code = 0 ] || echo \"test-doc-commands: failed: \$place\" >&2' EXIT"
    cat "$work/commands"
  } >"$work/page.sh"
  (cd "$folder" && PATH=$path bash "$work/page.sh" >"$work/log" 2>&1) || { tail -n 25 "$work/log"; exit 1; }
  grep '^  .*\.md:[0-9]*: ' "$work/log"
  count=$((count + $(grep -c '^place=' "$work/commands")))
  echo "  $((SECONDS - start)) s"
done
echo "commands of the documentation: $count lines ran"
