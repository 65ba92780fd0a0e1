// working: a working copy with a plan for `implement`, and agents and tests that are real processes and soon over.
// What an agent says follows from its prompt and from the files, so that a later attempt says the same.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "vitest"
import type { Bench, Ended, Way } from "../cli/bench.ts"
import { type Driven, test, writeProgram } from "../converge/driven.ts"
import { driverEvents, isSound } from "../converge/holding.ts"
import { runsIn } from "../cli/disk.ts"

const lines = [
  "---",
  "title: Two steps   # kept",
  "tasks:",
  "  # the first",
  "  - title: 'First'",
  "    description: Do the first.",
  "  - description: Do the second.",
  "    title: Second",
  "    dependencies: [0]",
  "---",
  "Acceptable.",
  ""
]
const first = [...lines.slice(0, 5), "    done: true", ...lines.slice(5)]
const both = [
  ...lines.slice(0, 2),
  "status: done",
  ...lines.slice(2, 5),
  "    done: true",
  ...lines.slice(5, 8),
  "    done: true",
  ...lines.slice(8)
]

/** The possible states of the plan's file: unchanged, with the first task done, and with both. */
export const texts = [lines, first, both].map((all) => all.join("\r\n"))

// Who implements the first task leaves the tests red, and the first review of it asks for a fix.
const agent = `#!/bin/sh
cat >/dev/null
run=\${OODA_PROMPT_FILE#*/runs/}
mkdir -p "$CRASH_PLACE/ran/\${run%%/*}"
printf '%s\\n' "$OODA_ATTEMPT" >>"$CRASH_PLACE/ran/\${run%%/*}/$(printf %s "$OODA_TASK_ID" | tr / .)"
if [ -e "$CRASH_PLACE/kills-agent" ]; then . "$CRASH_PLACE/kills-agent"; fi
sleep 0.1
task=$(sed -n 's/^## Task //p' "$OODA_PROMPT_FILE" | head -n 1)
result() { printf 'role: worker\\ntask_id: %s\\nstatus: pass\\ngit_range: HEAD..HEAD\\nissues: none\\n\\n' "$OODA_TASK_ID"; }
case $OODA_TASK_ID in
  */implement)
    if [ "$task" = 0 ]; then echo red >>a.txt; else echo two >>a.txt; fi
    result; echo "DONE: $task" ;;
  */test) echo "$OODA_TASK_ID" >>tests.txt; result ;;
  */mend-*) sed -i s/red/green/ a.txt; result ;;
  */fix-*) echo fixed >>a.txt; result ;;
  */analysis) echo '{"needs_fixes": true, "fix_instructions": "Fix it.", "dropped": []}' ;;
  */review-*) if grep -q fixed a.txt; then echo 'VERDICT: ACCEPTABLE'; else echo 'VERDICT: NEEDS_FIXES'; fi ;;
esac
`

/** Makes a working copy with the plan, which is committed. */
export const makeWorking = (bench: Bench): Driven => {
  writeProgram(path.join(bench.root, "worker"), agent)
  const place = bench.place()
  const dir = path.dirname(place.state)
  const repo = bench.makeRepo(path.join(dir, "repo"))
  fs.mkdirSync(path.join(dir, "ran"))
  fs.writeFileSync(path.join(repo, "a.txt"), "one\n")
  fs.writeFileSync(path.join(repo, "plan.md"), texts[0] ?? "")
  for (const args of [["add", "."], ["commit", "-qm", "Plan"]]) execFileSync("git", args, { cwd: repo, env: bench.env })
  return { dir, repo, place }
}

/** One call of `implement`, which prints every event. */
export const work = (bench: Bench, on: Driven, way: Way = {}): Promise<Ended> => {
  const agents = ["--agent-cmd", path.join(bench.root, "worker"), "--allow", "unsandboxed"]
  const args = ["implement", "plan.md", ...agents, "--test", test, "--events", "--state-root", on.place.state]
  return bench.run(on.place, args, { ...way, cwd: on.repo, env: { CRASH_PLACE: on.dir, ...way.env } })
}

/** Checks that the plan's file is whole, whatever was killed. */
export const planIsWhole = (on: Driven, where: string): void =>
  assert.include(texts, fs.readFileSync(path.join(on.repo, "plan.md"), "utf8"), where)

/** Checks a plan that was worked through: each task was done once, in its order, and nothing but marks was written. */
export const isDone = async (bench: Bench, on: Driven, where: string): Promise<void> => {
  assert.strictEqual(fs.readFileSync(path.join(on.repo, "plan.md"), "utf8"), texts[2], where)
  assert.strictEqual(fs.readFileSync(path.join(on.repo, "a.txt"), "utf8"), "one\ngreen\nfixed\ntwo\n", where)
  assert.strictEqual(fs.readFileSync(path.join(on.repo, "tests.txt"), "utf8"), "cycle-1/test\ncycle-2/test\n", where)
  const marked = driverEvents(on).filter(({ _tag }) => _tag === "TasksMarked").map(({ tasks }) => tasks)
  assert.deepStrictEqual(marked, [[0], [1]], where)
  // Whoever comes when all is done begins a run that has nothing to do, or dies before its first line is written.
  const begun = runsIn(on.place.state).filter(({ dir }) => fs.existsSync(path.join(dir, "plan.jsonl")))
  assert.isNotEmpty(begun, where)
  for (const { id } of begun) await isSound(bench, on, where, [id])
}
