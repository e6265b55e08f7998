#!/usr/bin/env bash
# A third-party gNMI client, pygnmi, against `noctui lab up`: Capabilities, Get, Set, Subscribe.
# Prints "skipped: ..." and succeeds where there is no Python, no venv or no package index. Everything it makes is in
# a temporary folder. NOCTUI_PYGNMI_PYTHON names a Python that has pygnmi; NOCTUI_BIN a built binary.
set -euo pipefail
cd "$(dirname "$0")/../.."

install_s=240 start_s=60 checks_s=120

skip() {
    echo "skipped: $*"
    exit 0
}

# within SECONDS COMMAND…: with a time limit where the system has one.
within() {
    local limit=$1
    shift
    if command -v timeout >/dev/null; then timeout --kill-after=5 "$limit" "$@"; else "$@"; fi
}

folder=$(mktemp -d)
lab=
finish() {
    if [ -n "$lab" ]; then
        kill "$lab" 2>/dev/null || true
        wait "$lab" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap finish EXIT

python=${NOCTUI_PYGNMI_PYTHON:-}
if [ -z "$python" ]; then
    command -v python3 >/dev/null || skip "there is no python3"
    within "$install_s" python3 -m venv "$folder/venv" >"$folder/venv.log" 2>&1 || skip "python3 has no venv module"
    python=$folder/venv/bin/python
    within "$install_s" "$python" -m pip install --quiet --disable-pip-version-check --retries 1 pygnmi \
        >"$folder/pip.log" 2>&1 || skip "pygnmi cannot be installed: $(tail -n 1 "$folder/pip.log")"
fi
"$python" -c 'import pygnmi' 2>/dev/null || skip "$python has no pygnmi"

binary=${NOCTUI_BIN:-}
if [ -z "$binary" ]; then
    cargo build --quiet --bin noctui
    binary=${CARGO_TARGET_DIR:-target}/debug/noctui
fi

# Its own state folder: no other lab of this user is found or disturbed.
export XDG_STATE_HOME=$folder/state XDG_CONFIG_HOME=$folder/config XDG_DATA_HOME=$folder/data
"$binary" lab up --size S --ports 0 --inventory "$folder/inventory.json" 2>"$folder/lab.log" &
lab=$!
for _ in $(seq $((start_s * 5))); do
    [ -s "$folder/inventory.json" ] && break
    kill -0 "$lab" 2>/dev/null || { echo "the lab ended:"; cat "$folder/lab.log"; exit 1; }
    sleep 0.2
done
[ -s "$folder/inventory.json" ] || { echo "the lab was not up after $start_s s"; exit 1; }

read -r host port user password < <("$python" - "$folder/inventory.json" <<'PYTHON'
import json, sys
first = json.load(open(sys.argv[1]))[0]
print(first["ip_address"], first["port"], first["username"], first["password"])
PYTHON
)
within "$checks_s" "$python" tests/interop/pygnmi_interop.py "$host" "$port" "$user" "$password" \
    GigabitEthernet0/0/0/0
