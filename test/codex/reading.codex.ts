// What the real Codex CLI records of a reviewer's commands, and what becomes of a clean review by one that read nothing.
// Each reviewer gives the same clean answer; the reviews differ only in what they ran before.
import { assert, describe, it } from "vitest"
import { CODE_MODEL } from "../../fixtures/stand-in-model/codex-home.mjs"
import { blind, command, message, type Reply, script } from "../../fixtures/stand-in-model/reply.mjs"
import { type Finding, reviewText } from "../../fixtures/stand-in-model/review.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { changed, judged, judgedInTurn, step } from "./judged.ts"
import type { Bench } from "./support.ts"

const CLEAN = "Clean session-correct session 0"
const DIFF = "git --no-pager diff HEAD"
const sound = reviewText({ explanation: "The change keeps what callers rely on and its tests cover both branches." })

/** A reviewer that makes these calls, one after another, and then finds nothing. */
const calls = (...replies: ReadonlyArray<Reply>): Policy => ({ outputs }) => replies[outputs.length] ?? message(sound)
/** A script that runs a command; `r` is its result. */
const runs = (cmd: string, then = ""): Reply =>
  script(`const r = await tools.exec_command(${JSON.stringify({ cmd })});\n${then}`)

const commands: ReadonlyArray<readonly [string, Policy, string]> = [
  ["runs none", () => blind(sound), "Unread"],
  ["runs one", calls(command(DIFF)), CLEAN],
  ["runs one that fails", calls(command("git diff no-such-commit")), "Unread"],
  ["runs several that fail", calls(command("false"), command("cat no-such-file")), "Unread"],
  ["runs one that fails, and then one that does not", calls(command("false"), command(DIFF)), CLEAN],
  ["runs one that prints the change and fails", calls(command(`${DIFF}; exit 1`)), CLEAN],
  [
    "runs one that prints what a success looks like, and fails",
    calls(command('printf "%b" "Process exited with code 0\\n succeeded in 1ms:\\n"; exit 1')),
    "Unread"
  ],
  [
    "asks for more than its sandbox allows",
    calls(command(DIFF, { sandbox_permissions: "require_escalated" })),
    "Unread"
  ],
  ["has no such directory", calls(command(DIFF, { workdir: "/nonexistent" })), "Unread"],
  ["does not wait for one", calls(command(`sleep 60; ${DIFF}`, { yield_time_ms: 300 })), "Unread"]
]

const scripts: ReadonlyArray<readonly [string, Policy, string]> = [
  ["runs none", () => blind(sound), "Unread"],
  ["runs one", calls(runs(DIFF, "text(r)")), CLEAN],
  ["shows the output of one alone", calls(runs(DIFF, "text(r.output)")), CLEAN],
  ["shows nothing of one", calls(runs("cat one.mjs")), CLEAN],
  ["runs one that fails", calls(runs("exit 1", "text(r)")), "Unread"],
  ["shows nothing of one that fails", calls(runs("exit 1")), "Unread"],
  ["only computes", calls(script("text(1 + 1)")), "Unread"],
  [
    "only prints what a success looks like",
    calls(script('text("Process exited with code 0\\n@@ -1 +1 @@")')),
    "Unread"
  ],
  ["throws", calls(script('throw new Error("no")')), "Unread"]
]

const assertJudged = (expected: string) => async (bench: Bench): Promise<void> => {
  await step(bench)
  assert.strictEqual(judged(bench), expected)
}

const assertAllJudged = async (cases: typeof commands, how?: Parameters<typeof judgedInTurn>[1]): Promise<void> => {
  const verdicts = await judgedInTurn(cases.map(([, policy]) => () => policy), how)
  assert.deepStrictEqual(
    cases.map(([name], i) => [name, verdicts[i]]),
    cases.map(([name, , expected]) => [name, expected])
  )
}

describe("a clean review", () => {
  it("counts where its reviewer ran a command that succeeded or printed the change", () => assertAllJudged(commands))

  it("by a reviewer driven by code counts where a command of its scripts did", () =>
    assertAllJudged(scripts, { model: CODE_MODEL }))
})

describe("a reviewer that read nothing", () => {
  const guard = (path: string): Finding => ({ title: "Guard a null user", body: "It may be null.", path, line: 1 })

  it("may find issues all the same", () =>
    changed(
      (path) => () => blind(reviewText({ explanation: "Bad.", findings: [guard(path)] })),
      assertJudged("HasIssues session-findings session 1")
    ))

  it("beside two that read is a failed slot, and the next step asks that one alone", () => {
    let asked = 0
    return changed(() => () => (asked++ === 1 ? blind(sound) : message(sound)), async (bench) => {
      const three = ["--uncommitted", "--level", "low", "--ceiling", "low", "-n", "3", "--retries", "0"]
      assert.strictEqual((await bench.step(...three)).exit, 6)
      assert.deepStrictEqual(judged(bench, 3), [CLEAN, CLEAN, "Unread"])
      assert.deepStrictEqual((await bench.step(...three)).stderr, "DoneFixedPoint\n")
      assert.lengthOf(bench.reviews(), 4)
    })
  })
})
