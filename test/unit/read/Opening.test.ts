// Opening: what a user reads before a run is driven.
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { Git, type Overview } from "../../../src/code/Git.ts"
import { Machine } from "../../../src/read/doctor/Machine.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import { effectsLine, ladderLine, planOpening, reviewOpening, reviewsOver } from "../../../src/read/Opening.ts"
import { settings } from "../drive/converge/driven.ts"

const machine = (answers: Readonly<Record<string, string>>) =>
  Layer.merge(
    Layer.mock(Machine)({
      nodeVersion: "v20.19.0",
      platform: "linux",
      ask: (program) => Effect.succeed({ code: 0, stdout: answers[program] ?? "", stderr: "", problem: null })
    }),
    Layer.mock(Reviewers)({ locate: Effect.succeed })
  )
const known = machine({ codex: "Update available! 0.169.0 -> 0.171.0\ncodex-cli 0.171.0\n" })
const change = { extent: { files: 4, added: 120, removed: 31 }, absent: ["lib"], problem: null }

const opening = (
  machine: Layer.Layer<Machine | Reviewers>,
  set = settings(),
  overview: Overview = { extent: null, absent: [], problem: null }
) => {
  const git = Layer.mock(Git)({ overview: () => Effect.succeed(overview) })
  return Effect.runPromise(Effect.provide(reviewOpening(set, "/"), Layer.merge(machine, git)))
}

it("counts the reviews of a clean run, and of a run with one finding at each level", () => {
  assert.deepStrictEqual(reviewsOver(4, 3), { least: 12, usual: 42 })
  assert.deepStrictEqual(reviewsOver(1, 1), { least: 1, usual: 2 })
})

it("says what is reviewed and with what, how many reviews that takes, what is edited and what is sent", async () => {
  const set = settings({}, { batchSize: 3, target: { _tag: "Base", branch: "main" } })
  assert.deepStrictEqual((await opening(known, set, change)).split("\n"), [
    "reviewing base main..HEAD (4 files, +120 -31) with codex 0.171.0",
    "levels low, medium with 3 reviews each: at least 6 if clean, about 15 with one finding at each level; fewer: -n 1, " +
    "--level medium",
    "edits this working tree, never commits; sends the diff and the files that codex reads to OpenAI",
    "submodule lib is not checked out, so no reviewer sees what is in there [git submodule update --init]",
    "",
    ""
  ])
})

it("leaves out what is unknown, and how to ask for less when there is only one review", async () => {
  const text = await opening(machine({}))
  assert.match(text, /^reviewing the uncommitted changes with codex\n/)
  const one = ladderLine(settings({}, { ceiling: "low" }).step)
  assert.match(one, /^level low with 1 review: at least 1 if clean, about 2 with one finding$/)
  assert.match(ladderLine(settings({}, { floor: "medium", ceiling: "high" }).step), /^levels medium, high with /)
})

it("of a plan explains a round, and where else files are sent", async () => {
  const set = settings({ agent: "claude", commitFixes: "x" }, { target: { _tag: "Base", branch: "main" } })
  const text = await Effect.runPromise(Effect.provide(planOpening(set, "/repo/plan.md", 5, false, "/"), known))
  assert.match(
    text,
    /^working through plan\.md with claude\nper round: .* 5 fixes\n.*; sends what claude reads to Anthropic\n/
  )
  const codex = settings({}, { target: { _tag: "Base", branch: "main" } })
  const [first] = (await Effect.runPromise(Effect.provide(planOpening(codex, "plan.md", 5, false, "/"), known))).split(
    "\n"
  )
  assert.strictEqual(first, "working through plan.md with codex 0.171.0")
  const then = await Effect.runPromise(Effect.provide(planOpening(set, "plan.md", 5, true, "/"), known))
  assert.match(then, /^working through plan\.md with claude; then codex 0\.171\.0 reviews its code\n/)
  assert.match(effectsLine(set), /commits each round; .* OpenAI, and to Anthropic for the agents$/)
})
