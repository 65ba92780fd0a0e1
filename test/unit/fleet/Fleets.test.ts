// Fleets: a worker is refused in one line, whatever the reason holds.
import { assert, it } from "vitest"
import { type WorkerReason, WorkerRefused } from "../../../src/fleet/Fleets.ts"
import { CodexMissing, ReviewerFault } from "../../../src/review/Reviewers.ts"
import { TreeFailed } from "../../../src/fleet/WorkingTrees.ts"

const fault = { _tag: "SystemRefused", code: null, call: null, said: "no fork" } as const
const missing = new CodexMissing({ binary: "codex", reason: { _tag: "NotOnPath", searched: "", unusable: [] } })
const elsewhere = new TreeFailed({ path: "/w", reason: { _tag: "WorkElsewhere", recorded: "/srv" } })
const unstarted = new ReviewerFault({ what: "starting a\u001b[2Jb", reason: fault })
const cases: ReadonlyArray<readonly [WorkerReason, string]> = [
  [
    { _tag: "NameTaken", machine: "m\u001b" },
    "another worker called m\\u001b works on this machine [--name gives this one another]"
  ],
  [{ _tag: "LockRefused", path: "/w/lock", fault }, "/w/lock: no fork"],
  [elsewhere, elsewhere.message],
  [missing, missing.message],
  [unstarted, "starting a\\u001b[2Jb: no fork"]
]

it.each(cases)(
  "refuse a worker in one line: %o",
  (reason, text) => assert.strictEqual(new WorkerRefused({ reason }).message, text)
)
