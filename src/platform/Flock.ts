// Flock: kernel locks on descriptors of this process, taken through a helper program because Node has no flock(2).
// A lock belongs to the open file description, so it lasts until every copy of the descriptor is closed.
import { spawnSync } from "node:child_process"
import type { Variables } from "./Environment.ts"

/** `exclusive` for writers and owners; `shared` only to check whether there is an owner. Neither waits. */
type LockMode = "exclusive" | "shared"

// Each helper finds the descriptors at 3, 4, ... and prints the index of every one it could not lock.
interface Helper {
  readonly program: string
  readonly args: (count: number, mode: LockMode) => ReadonlyArray<string>
}

const perl = `use Fcntl ":flock"; my ($n, $m) = @ARGV; for my $i (0 .. $n - 1) {
open(my $f, "+<&=", $i + 3) or exit 3; push @keep, $f;
flock($f, ($m eq "shared" ? LOCK_SH : LOCK_EX) | LOCK_NB) or print "$i\\n" }`
const python = `import fcntl, sys
for i in range(int(sys.argv[1])):
    try: fcntl.flock(i + 3, (fcntl.LOCK_SH if sys.argv[2] == "shared" else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError: print(i)`
// One shell for all descriptors; flock(1) exits with 1 for "held by another" and with more if it does not work.
const shell = `n=$1 o=$2 i=0
command -v flock >/dev/null 2>&1 || exit 127
while [ "$i" -lt "$n" ]; do
flock "$o" -n "$((i + 3))"; case $? in 0) ;; 1) echo "$i" ;; *) exit 3 ;; esac; i=$((i + 1))
done`

const helpers: ReadonlyArray<Helper> = [
  { program: "/bin/sh", args: (n, mode) => ["-c", shell, "flock", String(n), mode === "shared" ? "-s" : "-x"] },
  { program: "perl", args: (n, mode) => ["-e", perl, String(n), mode] },
  { program: "python3", args: (n, mode) => ["-c", python, String(n), mode] }
]

/** Throws the system's error if no program can be started at all. */
const noRoom = (error: Error | undefined): void => {
  const code = error !== undefined && "code" in error ? error.code : null
  if (code === "EMFILE" || code === "ENFILE" || code === "EAGAIN" || code === "ENOMEM") throw error
}

/** Whether flock(1) could lock one descriptor, or null if it does not work. A commit then needs no shell. */
const flockOne = (fd: number, mode: LockMode, env: Variables): boolean | null => {
  const args = [mode === "shared" ? "-s" : "-x", "-n", "3"]
  const { error, status } = spawnSync("flock", args, { env, stdio: ["ignore", "ignore", "ignore", fd] })
  noRoom(error)
  return error === undefined && (status === 0 || status === 1) ? status === 0 : null
}

/** No helper program can take a lock on this machine: reading still works, writing must be refused. */
export class NoLockProgram extends Error {
  override readonly name = "NoLockProgram"
  constructor() {
    super("none of flock, perl and python3 could take a lock; install util-linux's flock, or put it on PATH")
  }
}

/**
 * Tries to lock each descriptor, in one helper process, without waiting; true if this process now holds the lock.
 * Throws NoLockProgram if no helper on the PATH of `env` works, or the system's error if none can be started. Cost: 2
 * ms for one descriptor, about 1 ms for each further one.
 */
export const flockEach = (
  fds: ReadonlyArray<number>,
  mode: LockMode,
  env: Variables
): ReadonlyArray<boolean> => {
  const [first] = fds
  if (first === undefined) return []
  const alone = fds.length === 1 ? flockOne(first, mode, env) : null
  if (alone !== null) return [alone]
  for (const helper of helpers) {
    const done = spawnSync(helper.program, helper.args(fds.length, mode), {
      env,
      stdio: ["ignore", "pipe", "ignore", ...fds],
      encoding: "utf8"
    })
    noRoom(done.error)
    if (done.error !== undefined || done.status !== 0) continue
    const held = new Set(done.stdout.split("\n").filter((line) => line !== "").map(Number))
    return fds.map((_, index) => !held.has(index))
  }
  throw new NoLockProgram()
}

/** Whether all descriptors could be locked. If not, the caller must close them all, because some may be locked. */
export const flockDescriptors = (fds: ReadonlyArray<number>, mode: LockMode, env: Variables): boolean =>
  flockEach(fds, mode, env).every((locked) => locked)
