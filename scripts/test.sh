#!/bin/sh
# `npm test`: types, Effect's rules and layout, beside all tests but the slow ones. Tests often wait for processes.
set -u
cd "$(dirname "$0")/.." || exit 1
temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary" "${memory:-}"' EXIT

# Repositories and state of tests lie in memory, where there is room and programs may be run from there.
if [ -z "${TMPDIR:-}" ] && [ "$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -gt 6000000 ] &&
  [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -gt 8000000 ] && memory=$(mktemp -d /dev/shm/ooda-XXXXXX); then
  # Other users work in there too, as in /tmp.
  chmod 1777 "$memory"
  printf '#!/bin/sh\n' >"$memory/program" && chmod 755 "$memory/program"
  if "$memory/program" 2>/dev/null; then export TMPDIR="$memory"; fi
fi

# Random histories of the drivers: fewer than where their files run alone.
export OODA_HISTORIES="${OODA_HISTORIES:-0.4}"

npm run -s build || exit 1
npm run -s lint >"$temporary/lint" 2>&1 &
lint=$!
npx vitest run --tags-filter '!slow' "$@"
tests=$?
wait "$lint"
linted=$?
cat "$temporary/lint"
[ "$linted" -eq 0 ] || echo "npm run lint failed, as said above" >&2
[ "$tests" -eq 0 ] && [ "$linted" -eq 0 ]
