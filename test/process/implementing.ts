// implementing: a repository with a plan, and a program that works on it as agent.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import type { World } from "./world.ts"

const plan = [
  "---",
  "title: Sums # kept",
  "tasks:",
  "  - title: Add",
  "    description: Add two numbers.",
  "  - title: Sum",
  "    description: Add up a list of numbers.",
  "    dependencies: [0]",
  "---",
  ""
].join("\r\n")

/** An agent that writes its task into a file, and claims all tasks; a reviewer finds its first work wanting. */
const agent = `#!/bin/sh
prompt=$(cat)
echo "$OODA_TASK_ID" >> "$AGENT_LOG"
if [ -e "$AGENT_WAIT" ]; then echo working >&2; while [ -e "$AGENT_WAIT" ]; do sleep 0.1; done; fi
result() { printf 'role: worker\\ntask_id: %s\\nstatus: pass\\ngit_range: HEAD..HEAD\\n\\nDone.\\nDONE: 0\\nDONE: 1\\n' "$OODA_TASK_ID"; }
case "$OODA_TASK_ID" in
  */review-0) echo 'It adds one too many. VERDICT: NEEDS_FIXES'; echo 'VERDICT: NEEDS_FIXES' ;;
  */review-*) echo 'VERDICT: ACCEPTABLE' ;;
  */analysis) echo '{"needs_fixes": true, "fix_instructions": "Start at zero.", "dropped": []}' ;;
  */fix-1) echo fixed >> sum.txt; case "$prompt" in *"Start at zero."*) result ;; *) exit 1 ;; esac ;;
  *) echo "$OODA_TASK_ID" >> sum.txt; result ;;
esac
`

/** Puts both in place. `wait` is a file: while it exists, the agent keeps running. */
export const made = (world: World) => {
  const [program, log, wait] = ["agent.sh", "agents", "wait"].map((name) => world.path(name))
  if (program === undefined || log === undefined || wait === undefined) return assert.fail("no paths")
  writeFileSync(program, agent)
  chmodSync(program, 0o755)
  writeFileSync(join(world.repo, "plan.md"), plan)
  world.git("add", ".")
  world.git("commit", "-qm", "Plan")
  const flags = [
    "plan.md",
    "--agent-cmd",
    program,
    "--allow",
    "unsandboxed",
    "--test",
    "! grep -q red sum.txt 2>/dev/null"
  ]
  const env = { AGENT_LOG: log, AGENT_WAIT: wait }
  const args = ["implement", ...flags]
  const start = (...more: ReadonlyArray<string>) => world.start([...args, ...more], env)
  const runs = () => {
    const top = join(world.stateRoot, "repo-noremote", "plan")
    return existsSync(top) ? readdirSync(top).flatMap((key) => readdirSync(join(top, key, "runs"))) : []
  }
  const asked = () => existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
  return { args, env, start, runs, asked, wait }
}
