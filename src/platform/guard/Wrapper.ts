// Wrapper: the small POSIX shell program that guards one command and outlives the process that started it.
import type { Order } from "./Job.ts"
import { limitMark, mark } from "./Liveness.ts"

/** The variable with the text of the wrapper's program. As an argument, `ps` would show all of it. */
const scriptVariable = "OODA_GUARD_SCRIPT"

/** The arguments with which `/bin/sh` runs a program under a umask, or under this process's umask for null. */
export const underUmask = (
  umask: string | null,
  program: string,
  args: ReadonlyArray<string>
) => ["-c", 'umask "${1:-$(umask)}"; shift; exec "$@"', "sh", umask ?? "", program, ...args]

/** The parts of an order that the wrapper needs beside its directory and its environment. */
type WrapperOrder = Pick<
  Order,
  "id" | "files" | "wake" | "input" | "line" | "deadline" | "maxBytes" | "tied" | "command"
>

/** From SIGTERM to SIGKILL, in seconds, when the wrapper ends its command. */
const graceSeconds = 2

/** The watcher looks at the clock and the files' sizes after 1 s, 2, 4, 8, then every 16 s. Milliseconds. */
const sliceMillis = 16_000

// The shell counts in whole numbers of at most 64 bits.
const whole = (value: number): string => String(Math.min(1e15, Math.max(1, Math.round(value))))

/**
 * The arguments of `/bin/sh`, which also needs the variables of `wrapperProgram`. `path` is the PATH of the wrapper's
 * own helpers; `umask` is the command's, or null for the umask of this process. The shell must lead a session of its
 * own, with the locked descriptor at 3 and the job's mark in its environment.
 */
export const wrapperArguments = (
  { command, deadline, files, id, input, line, maxBytes, tied, wake }: WrapperOrder,
  path: string,
  umask: string | null
): ReadonlyArray<string> => [
  "-c",
  `eval "$${scriptVariable}"`,
  "ooda-guard",
  id,
  files.journal,
  files.log,
  files.out,
  files.exit,
  wake,
  input ?? "/dev/null",
  whole(deadline),
  whole(maxBytes),
  line === null ? "" : `line ${line.seq} ${line.hash}`,
  tied ? "tied" : "",
  path,
  umask ?? "",
  limitMark(id),
  ...command
]

// Lines that begin with # are removed before the shell sees them. Every helper closes descriptor 3, or it would keep
// the lock. A helper that is a subshell closes it by `exec 3>&-`: after `cmd 3>&-` a shell still keeps a copy for a
// while. `kill 0` reaches the wrapper's own group, which is its watcher, its sleeps and its helpers. It does not reach
// the command, which has a session of its own.
const source = String.raw`
unset ${scriptVariable}
id=$1 journal=$2 log=$3 out=$4 exit=$5 wake=$6 input=$7 deadline=$8 limit=$9
shift 9
line=$1 tied=$2 outer=$PATH PATH=$3 mask=${"$"}{4:-$(umask)} limited=$5
umask 077
shift 5
leader= stopping= status= again= helpers=

note() { printf '%s\n' "$1" >&5; }
# When a process started. Field 22 of /proc/<pid>/stat, counted behind the command name, which may contain anything.
# Without /proc it is the date, in one word, that ps shows; "-" where it shows none.
start() {
  start=- stat=
  if [ -r "/proc/$1/stat" ]; then
    read -r stat <"/proc/$1/stat"
    [ -n "$stat" ] || return 0
    set -- ${"$"}{stat##*)}
    start=${"$"}{20:--}
    return 0
  fi
  stat=$(exec 3>&-; LC_ALL=C TZ=UTC0 ps -ww -o lstart= -p "$1" 2>/dev/null) || return 0
  IFS=' :'
  set -- $stat
  IFS=_
  start="$*"
  unset IFS
  [ -n "$start" ] || start=-
}
# Milliseconds of a clock that goes on while the machine sleeps; without /proc the naps are counted instead.
clock() {
  up=
  [ -r /proc/uptime ] && read -r up rest </proc/uptime
  case $up in *.??) now=$((${"$"}{up%.*} * 1000 + (1${"$"}{up#*.} - 100) * 10)) ;; *) now=$((now + $1)) ;; esac
}
# The group exists once the command's session does; until then there is only the process.
signal() { kill -s "$1" -- "-$leader" 2>/dev/null || kill -s "$1" "$leader" 2>/dev/null; }
terminate() { { exec 3>&-; signal TERM; sleep ${graceSeconds}; signal KILL; } & helpers="$helpers $!"; }
stop() {
  again=1
  [ -z "$stopping" ] || return 0
  stopping=$1
  note "stopped $1"
  [ -z "$leader" ] || terminate
}
# The soft limit for file locks, which has another letter in every other shell.
limit() { ulimit -S -w "$1" 2>/dev/null || ulimit -S -x "$1" 2>/dev/null; }
# The processes that ps shows, with their groups and environments: as on macOS, else as on the BSDs and Linux.
table() {
  exec 3>&- 2>/dev/null
  ps -A -E -ww -o pid= -o pgid= -o command= || ps axeww -o pid= -o pgid= -o command=
}
# What left the group but still carries one of the job's marks: commands in sessions of their own. Where grep stops at
# a NUL (busybox), every process is looked at by itself. Without /proc only the variable can be seen.
sweep() {
  if ! [ -r /proc/self/stat ]; then
    table | {
      exec 3>&-
      while read -r pid group command; do
        case " $command " in *" ${mark}=$id "*) [ "$group" = "$$" ] || kill -s KILL "$pid" ;; esac
      done
    }
    return 0
  fi
  if printf 'a\0b\n' | grep -qF b 3>&-
  then set -- $(grep -lsF -e "${mark}=$id" -e " $limited " /proc/[0-9]*/environ /proc/[0-9]*/limits 3>&-)
  else set -- /proc/[0-9]*/environ /proc/[0-9]*/limits; fi
  for found in "$@"; do
    pid=${"$"}{found#/proc/} pid=${"$"}{pid%/*} stat=
    tr '\0' '\n' <"$found" 2>/dev/null 3>&- | grep -q -e "^${mark}=$id$" -e " $limited " 3>&- || continue
    read -r stat <"/proc/$pid/stat" || continue
    set -- ${"$"}{stat##*)}
    [ "$3" = "$$" ] || kill -s KILL "$pid"
  done
}
# Standard output behind standard error, from a new line on.
append() {
  [ ! -s "$out" ] || [ ! -s "$log" ] || [ -z "$(tail -c 1 "$log" 3>&-)" ] || echo >>"$log" || return 1
  cat "$out" >>"$log" 3>&-
}
finish() { signal TERM; sleep ${graceSeconds}; signal KILL; sweep; }
# There is no grace: another command may begin in the dead starter's place. A wrapper that lives ends its helpers. One
# that was killed leaves them, and may seem to live until it is reaped.
release() { signal KILL; kill -s TERM "$$"; sleep ${graceSeconds * 2}; finish; kill -s KILL 0; }
# Runs beside the command and goes on if the wrapper is killed: the limits hold even then.
watch() {
  now=0 slice=1000
  clock 0
  end=$((now + deadline))
  while :; do
    nap=$((end - now))
    if [ "$nap" -le 0 ]; then note deadline; break; fi
    [ "$nap" -le "$slice" ] || nap=$slice
    [ "$slice" -ge ${sliceMillis} ] || slice=$((slice * 2))
    fraction=$((1000 + nap % 1000))
    sleep "$((nap / 1000)).${"$"}{fraction#1}" || sleep 1 || return 0
    clock "$nap"
    if [ -n "$(find "$log" "$out" -size "+$limit""c")" ]; then note transcript; break; fi
  done
  finish
}

# The command has the mark of this job. This wrapper has none, not even of a job around it.
limit unlimited
trap 'stop TERM' TERM
trap 'stop INT' INT
trap 'stop HUP' HUP
boot=-
if [ -r /proc/sys/kernel/random/boot_id ]; then read -r boot </proc/sys/kernel/random/boot_id
elif ! [ -r /proc/self/stat ]; then
  start 1
  boot=$start
fi
start "$$"
set -C
printf 'attempt %s %s %s %s\n' "$id" "$$" "$start" "$boot" >"$journal" || exit 0
set +C
# The journal and both outputs stay open: the end is noted although their directory is away by then, as a mount may be.
exec 5>>"$journal"
# The exit status gets its bytes now: at the end they are written over in place, however full the disk is by then. On a
# disk that is full already nothing is begun.
printf '000\n' >"$exit.new" || { note unstarted; exit 0; }
[ -z "$line" ] || note "$line"
: >"$out"
: >"$log"
exec 6<"$log" 7<"$out"

if program=$(command -v setsid); then session() { exec "$program" "$@"; }
elif program=$(command -v perl); then
  session() { exec "$program" -MPOSIX=setsid -e 'setsid(); exec { $ARGV[0] } @ARGV or exit 127' -- "$@"; }
elif program=$(command -v python3); then
  session() { exec "$program" -c 'import os, sys; os.setsid(); os.execvp(sys.argv[1], sys.argv[1:])' "$@"; }
else session() {
  echo "ooda: none of setsid, perl, python3 is there to give the command a session of its own" >&2
  exit 126
}
fi
if [ -z "$stopping" ]; then
  # What the command writes is the user's own, such as the code that an agent changes: it gets the modes of its user.
  # Standard error first: the log says so when the input cannot be opened.
  { exec 3>&- 4<&- 5>&- 6<&- 7<&-; umask "$mask"; limit "$limited"; PATH=$outer; session "$@"; } 2>>"$log" <"$input" >>"$out" &
  leader=$!
  start "$leader"
  note "group $leader $start"
  { exec 3>&-; watch; } &
  helpers="$helpers $!"
  # Only the process that started us holds the other end, so that this read ends when that process dies.
  [ -z "$tied" ] || { { exec 3>&-; read -r end <&4; release; } & helpers="$helpers $!"; }
  [ -z "$stopping" ] || terminate
  # A trapped signal ends "wait" early; 127 then only says that the real status was written before.
  while :; do
    again=
    wait "$leader"
    waited=$?
    [ -n "$status" ] && [ "$waited" = 127 ] || status=$waited
    [ -n "$again" ] || break
  done
fi
trap '' TERM INT HUP
# A helper that was forked this instant may have our traps and drop a signal, but not SIGKILL. Then its nap, if any.
for helper in $helpers; do kill -s KILL "$helper" 2>/dev/null; done
kill -s TERM 0
status=${"$"}{status:-143}
if [ -n "$leader" ]; then
  kill -s KILL -- "-$leader" 2>/dev/null
  sweep
  logged=$(wc -c <&6 3>&-) printed=$(wc -c <&7 3>&-)
  # By this line another process can join the files later and know the status, if we cannot. Where there is
  # no space even for it, a log that was not joined must not pass for one that was.
  noted=1
  note "ended $status $((${"$"}{logged:-0})) $((${"$"}{printed:-0}))" || noted=
  append || [ -n "$noted" ] || exit 0
fi
# A text shorter than what is there leaves the rest of it, which dd cuts off. Neither needs space.
printf '%s\n' "$status" 1<>"$exit.new" || exit 0
dd if=/dev/null of="$exit.new" bs=1 seek="$((${"$"}{#status} + 1))" 2>/dev/null 3>&- || exit 0
sync "$log" "$out" "$exit.new" 3>&-
mv -f "$exit.new" "$exit" 3>&-
# Whatever is there by now must neither keep us waiting nor be written to.
rm -f "$wake" 3>&-
: >"$wake"
`

const script = source.split("\n").filter((line) => line !== "" && !line.trimStart().startsWith("#")).join("\n")

/** The variables that hold the wrapper's program. The command does not get them. */
export const wrapperProgram = { [scriptVariable]: script }
