// driven: a working copy for `converge`, with reviewers, agents and tests that are real processes and soon over.
// Each of them notes that it ran where the program does not see it, so that nothing runs twice unseen.
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import type { Bench, Ended, Place, Way } from "../cli/bench.ts"
import { shim } from "../program.ts"

const fake = fileURLToPath(new URL("../../../fixtures/fake-codex/codex", import.meta.url))

// A reviewer answers by what it sees, so reviews of the same code say the same.
const reviewer = `#!/bin/sh
if grep -q bug a.txt; then FAKE_CODEX='sleep 0.1;issues 1'; else FAKE_CODEX='sleep 0.1;clean'; fi
export FAKE_CODEX
exec '${fake}' "$@"
`

// The first worker of a round leaves the tests red; the fixing one makes them green unless the place is hopeless.
const agent = `#!/bin/sh
cat >/dev/null
run=\${OODA_PROMPT_FILE#*/runs/}
mkdir -p "$CRASH_PLACE/ran/\${run%%/*}"
printf '%s\\n' "$OODA_ATTEMPT" >>"$CRASH_PLACE/ran/\${run%%/*}/$(printf %s "$OODA_TASK_ID" | tr / .)"
if [ -e "$CRASH_PLACE/kills-agent" ]; then . "$CRASH_PLACE/kills-agent"; fi
sleep 0.1
case $OODA_ROLE.$OODA_TASK_ID in
  worker.*/mend-*) [ -e "$CRASH_PLACE/hopeless" ] || printf 'one\\ngreen\\n' >a.txt ;;
  worker.*) printf 'one\\nred\\n' >a.txt; rm -rf deep kind; mkdir kind; echo new >kind/of; echo added >added ;;
esac
printf 'role: %s\\ntask_id: %s\\nstatus: pass\\n' "$OODA_ROLE" "$OODA_TASK_ID"
[ "$OODA_ROLE" != worker ] || echo git_range: HEAD..HEAD
printf 'issues: none\\n\\n'
sed -n 's/^The fingerprints are: \\(.*\\)\\.$/\\1/p' "$OODA_PROMPT_FILE" | tr -s ', ' '\\n\\n' |
  sed 's/.*/finding &: fixed - done/'
`

/** The line of the shell that tests. */
export const test = 'sleep 0.05; [ ! -e "$CRASH_PLACE/kills-test" ] || . "$CRASH_PLACE/kills-test"; ! grep -q red a.txt'

/** A working copy to be driven, below a directory of its own that everything started for it has in its environment. */
export interface Driven {
  readonly dir: string
  readonly repo: string
  readonly place: Place
}

const programs = (bench: Bench) => ({ codex: path.join(bench.root, "codex"), agent: path.join(bench.root, "agent") })

/** Writes a program of a bench once: while it is written, those who work on another working copy cannot start it. */
export const writeProgram = (file: string, text: string): void => {
  if (!fs.existsSync(file)) fs.writeFileSync(file, text, { mode: 0o755 })
}

/** Makes a working copy with a change that reviewers find a bug in. */
export const makeDriven = (bench: Bench): Driven => {
  const { agent: program, codex } = programs(bench)
  writeProgram(codex, reviewer)
  writeProgram(program, agent)
  const place = bench.place()
  const dir = path.dirname(place.state)
  const repo = bench.makeRepo(path.join(dir, "repo"))
  fs.mkdirSync(path.join(dir, "ran"))
  fs.mkdirSync(path.join(repo, "deep"))
  for (const name of ["deep/one", "kind"]) fs.writeFileSync(path.join(repo, name), `${name}\n`)
  fs.writeFileSync(path.join(repo, "a.txt"), "one\nbug\n")
  return { dir, repo, place }
}

const wayIn = ({ dir, repo }: Driven, { env, ...way }: Way): Way => ({
  ...way,
  cwd: repo,
  env: { CRASH_PLACE: dir, ...env }
})

const target = (bench: Bench, { place }: Driven): ReadonlyArray<string> => [
  "--uncommitted",
  "--ceiling",
  "medium",
  "-n",
  "1",
  "--state-root",
  place.state,
  "--codex-bin",
  programs(bench).codex
]

/** One call of `converge`, which prints every event. */
export const drive = (bench: Bench, on: Driven, args: ReadonlyArray<string> = [], way: Way = {}): Promise<Ended> => {
  const agents = ["--agent-cmd", programs(bench).agent, "--allow", "unsandboxed"]
  const all = ["converge", ...target(bench, on), ...agents, "--test", test, "--events", ...args]
  return bench.run(on.place, all, wayIn(on, way))
}

/** A step, or a mark, by hand. */
export const byHand = (bench: Bench, on: Driven, args: ReadonlyArray<string>, way: Way = {}): Promise<Ended> =>
  bench.run(on.place, [...target(bench, on), "--strict", ...args], wayIn(on, way))

/** The header of a call of `converge`: the last line, after its progress; a prompt may follow. */
export const headerOf = ({ stderr }: Ended): string =>
  stderr.split("\n").findLast((line) => /^(?:Done|Stuck|Handoff|BinaryError)/.test(line)) ?? ""

/**
 * Whether a call is to be made again, as its own words say: it was killed, or reviewers whose starts were killed are no
 * longer tried by it.
 */
export const continues = (ended: Ended): boolean =>
  ended.signal !== null || /the next invocation runs only the failed slots again/.test(headerOf(ended))

/**
 * The way in which a call is killed where it would first change the disk at a place that `seen` does not hold; `more`
 * says of which places.
 */
export const killing = ({ dir }: Driven, seen: string, more: NodeJS.ProcessEnv = {}): Way => ({
  env: { NODE_OPTIONS: `--import ${shim}`, CRASH_ROOT: dir, CRASH_SPAWNS: "1", CRASH_SEEN: seen, ...more }
})
