// Golden prompts: the full text of every prompt of a converging run.
// A stored text changes only on purpose: UPDATE_GOLDEN=1 writes it, and its diff is read.
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { goldenPrompt } from "../../prompts/goldenPrompt.ts"
import { compactPrompt } from "../../../../src/agent/PromptBudget.ts"
import { addressPrompt, patternsPrompt, retroPrompt } from "../../../../src/drive/converge/Prompts.ts"
import { commitMessage, defaultTemplate } from "../../../../src/drive/Commits.ts"
import { fixCommitPrompt, fixTestsPrompt, finishPrompt } from "../../../../src/drive/Prompts.ts"
import { addressPrompt as handedOff, retrospectivePrompt } from "../../../../src/run/words.ts"
import { batchOf, report, wrote } from "../../../support/reviewedBatches.ts"

const grave = wrote(1, { title: "Guard a null user", body: "It breaks at once.\n```ts\nuser.name\n```", priority: 0 })
const slight = wrote(2, { title: "Rename the thing", body: "It reads badly.", priority: 3, path: "src/b.ts" })
const fingerprints = [grave.fingerprint, slight.fingerprint]
const paths = { findings: "/state/run/findings.md", transcripts: "/state/run/low-1.log to low-3.log" }
const refuted = { fingerprint: grave.fingerprint, title: grave.title, answer: "refuted", why: "by design" } as const
const documented = {
  fingerprint: slight.fingerprint,
  title: slight.title,
  answer: "documented",
  why: "a note"
} as const
const gone = { fingerprint: "0".repeat(16), title: "Close the file", answer: "fixed", why: "it is closed" } as const

const address = addressPrompt({
  contractPrompt: handedOff(3, "low", paths),
  taskId: "round-2/address",
  findings: report(batchOf(1, [grave]), batchOf(2, [grave, slight])).findings,
  unlisted: [{ slot: 3, reason: "in-doubt", body: "Something is off in src/c.ts." }],
  earlier: [refuted, gone],
  findingsFile: paths.findings,
  tests: ["npm ci", "npm test"],
  protect: ["*.lock", "/fixtures/**"],
  redBaseline: "1 failing: old.test.ts"
})
const fix = { taskId: "round-2/mend-1", attempt: 1, of: 2, fingerprints, whole: false }
const test = { command: "npm test", exit: 1, changed: false, timeout: 1_800_000, tail: "1 failing: a.test.ts" }
const run = "20300101T000001Z-000000001-p1"
const history = "/state/run/history.md"

const texts = {
  "address": compactPrompt(address, null),
  "address-compacted": compactPrompt(address, 1),
  "fix-tests": fixTestsPrompt({ ...fix, ...test }),
  "fix-tests-without-thread": fixTestsPrompt({ ...fix, ...test, exit: null, whole: true }),
  "fix-commit": fixCommitPrompt({ ...fix, output: "hook: no ticket named" }),
  "retro": retroPrompt({
    contractPrompt: retrospectivePrompt("low", "low", { history }),
    taskId: "round-3/retrospective",
    historyFile: history,
    level: "low"
  }),
  "patterns": patternsPrompt({
    taskId: "round-3/patterns",
    patterns: "Paths are joined by hand in six places.",
    historyFile: history,
    tests: [],
    protect: [],
    floor: "low"
  }),
  "finish": finishPrompt({ taskId: "round-2/address", issues: "The cache is not cleared.", fingerprints }),
  "commit": commitMessage(defaultTemplate, { level: "low", batch: 2, round: 2, run, answers: [refuted, documented] })
}

describe("the text of", () => {
  it.each(Object.entries(texts))(
    "%s is unchanged",
    (name, text) => assert.strictEqual(`${text}\n`, goldenPrompt(name, `${text}\n`))
  )

  it("nothing else is stored", () =>
    assert.sameMembers(
      fs.readdirSync(new URL("../../../../fixtures/prompts", import.meta.url))
        .filter((name) => !/^(implement|hook)-/.test(name)),
      Object.keys(texts).map((name) => `${name}.txt`)
    ))
})
