// FixedPoint: a Stop that needs the fixed point: which run counts, what the session reads, and that errors let it pass.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/run/Invocation.ts"
import { silence } from "../../../src/hook/Call.ts"
import { ladder } from "../../../src/hook/FixedPoint.ts"
import { GitFailed } from "../../../src/code/Git.ts"
import { loopStep } from "../../../src/step/LoopStep.ts"
import { Memory, Scripted, World } from "../../../src/testing.ts"
import { onMachine } from "../run/opened.ts"
import { hooking } from "../../support/hooks.ts"

const stop = { ...hooking({ hook_event_name: "Stop", cwd: "/repo/src" }, { gate: "ladder" }), cwd: "/repo" }
const settings = (given: object = {}) =>
  Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 1, ceiling: "low", ...given }).settings
const after = (given: object, script = Scripted.clean(1000)) =>
  onMachine(Effect.andThen(loopStep(settings(given), false, "/repo"), ladder(stop)), { script: () => script })

describe("the ladder", () => {
  it("sends a session without a review to the first step", async () => {
    const { block, stdout } = await onMachine(ladder(stop))
    assert.strictEqual(stdout, "")
    assert.match(block ?? "", /^This code is not at its fixed point: WouldAdvance: RunReviews/)
    assert.match(
      block ?? "",
      /\n {4}ooda-codex-review --uncommitted --strict --step-timeout 8m\n\nIf everything is committed.*\n\nTo continue without this gate/
    )
  })

  it("gives the state of the worktree's newest run, and how to answer it", async () => {
    const { block } = await after({ target: { _tag: "Base", branch: "it's" }, strict: true }, Scripted.issues(1000))
    assert.match(
      block ?? "",
      /not at its fixed point: HandoffAgent: AddressBatch\n {2}prompt: Verify and address 1 review/
    )
    assert.match(
      block ?? "",
      /\n {4}ooda-codex-review --base 'it'\\''s' -n 1 --strict --batch low\/1@\S+ --mark-address-passed\n/
    )
    const clean = await after({ ceiling: "medium" })
    assert.match(clean.block ?? "", /Retrospective[^]*\n {4}ooda-codex-review --uncommitted -n 1 --mark-retro-clean\n/)
  })

  it("passes at a fixed point, even with a lower ceiling", async () => {
    const answer = await onMachine(
      Effect.gen(function*() {
        yield* loopStep(settings(), false, "/repo")
        return yield* ladder(stop)
      }),
      { script: () => Scripted.clean(1000) }
    )
    assert.deepStrictEqual(answer, silence)
  })

  it("asks with the settings of the run, such as the lowest priority that blocks, and names them", async () => {
    const light = { strict: true, block: 0, floor: "medium", ceiling: "medium" }
    assert.deepStrictEqual(await after(light, Scripted.issues(1000)), silence)
    const { block } = await onMachine(
      Effect.gen(function*() {
        yield* loopStep(settings(light), false, "/repo")
        yield* World.use(({ code }) => Ref.set(code, "code-2"))
        return yield* ladder(stop)
      }),
      { script: () => Scripted.issues(1000) }
    )
    assert.include(
      block ?? "",
      "\n    ooda-codex-review --uncommitted --level medium --ceiling medium -n 1 --strict --block P0 --step-timeout 8m\n"
    )
  })

  it("is not passed by the fixed point of a commit, because edits do not change a commit", async () => {
    const sha = "a".repeat(40)
    const { block } = await after({ target: { _tag: "Commit", sha } })
    assert.match(block ?? "", /WouldAdvance: RunReviews[^]*\n {4}ooda-codex-review --uncommitted --strict /)
  })

  it("names the directory of the code if the session is elsewhere", async () => {
    const { block } = await onMachine(ladder({ ...stop, input: { ...stop.input, cwd: "/repository" } }))
    assert.include(block ?? "", "\n    cd /repo && ooda-codex-review --uncommitted --strict ")
  })

  it("passes if the fixed point cannot be checked", async () => {
    const reason = { _tag: "ProgramMissing", program: "git" } as const
    const git = Memory.git({ repository: () => Effect.fail(new GitFailed({ what: "it", reason })) })
    assert.deepStrictEqual(await onMachine(ladder(stop), { git }), silence)
  })
})
