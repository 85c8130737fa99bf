# Python for the scorers: `venv NAME REQUIREMENTS` makes .build/NAME when it is missing or the pinned versions changed, and prints its interpreter.
venv() {
  local folder=$root/.build/$1 requirements=$here/$2
  if ! cmp -s "$requirements" "$folder/requirements.txt"; then
    "$root/scripts/setup.sh" bench >&2
    rm -rf "$folder"
    python3 -m venv "$folder" || fail "python3 has no venv:  apt-get install python3-venv"
    "$folder/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$requirements" ||
      fail "what $requirements lists could not be had from PyPI"
    cp "$requirements" "$folder/requirements.txt"
  fi
  echo "$folder/bin/python"
}

fail() { echo "error: quality: $*" >&2; exit 1; }
