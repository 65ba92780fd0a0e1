// fleetWait: it speaks of the newest submission alone, and of another head than the one that is named never.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { waited } from "../../../../src/cli/commands/fleet.ts"
import { Submissions, targetOf } from "../../../../src/fleet/Submission.ts"
import { CommitSha } from "../../../../src/run/Target.ts"
import { FleetStore } from "../../../../src/fleet/FleetStore.ts"
import { type FleetTargetState, FleetTargets } from "../../../../src/fleet/FleetTargets.ts"
import { pinnedOf } from "../../fleet/pins.ts"

const { submission } = pinnedOf()
const other = CommitSha.make("c".repeat(40))
const target = targetOf("pg:1", submission)

interface Case {
  readonly head?: CommitSha
  /** How many submissions there are, and of which of them the standing tells. */
  readonly newest?: number
  readonly stands?: number
  readonly standing?: FleetTargetState
}

const wait = ({ head, newest = 2, standing = "Done", stands = newest }: Case) =>
  Effect.runPromise(
    waited({
      target: { repo: submission.repo, pr: submission.pr },
      head: head ?? null,
      stepTimeout: 0
    }).pipe(
      Effect.provide(Layer.mergeAll(
        Layer.succeed(FleetStore, {
          setUp: () => Effect.die("nothing is set up"),
          facts: Effect.succeed({ name: "pg:1", work: "/work", local: false, lease: 30_000 }),
          contents: () => Effect.die("nothing is exported")
        }),
        Layer.mock(Submissions, {
          of: () => Effect.succeed(newest === 0 ? [] : [{ number: newest, at: 0, submission }])
        }),
        Layer.mock(FleetTargets, {
          of: () =>
            Effect.succeed({
              ...{ target, standing, submission: stands, head: submission.head, turns: 1, since: 0 },
              ...{ run: "r", moved: false, end: { header: "DoneFixedPoint", code: 0 } }
            })
        })
      )),
      Effect.match({ onFailure: ({ message }) => message, onSuccess: (ending) => ending })
    )
  )

const idle = { stdout: "", stderr: "Idle\n", code: 7 }

describe("fleet wait", () => {
  it.each([{}, { head: submission.head }])(
    "ends as the last step did, and says of which head: %j",
    async (given) =>
      assert.deepStrictEqual(await wait(given), {
        stdout: `${target.repoId} ${target.targetKey}, number 2, head ${submission.head}\n`,
        stderr: "DoneFixedPoint\n",
        code: 0
      })
  )

  it("does not pass by the fixed point of another head", async () =>
    assert.strictEqual(
      await wait({ head: other }),
      `the newest head that was submitted is ${submission.head} [wait for that one, or submit yours]`
    ))

  it.each([{ stands: 1 }, { standing: "Active" as const }, { standing: "Waiting" as const }])(
    "waits while the newest submission does not rest: %j",
    async (given) => assert.deepStrictEqual(await wait(given), idle)
  )

  it("tells that nothing was submitted", async () =>
    assert.match(`${await wait({ newest: 0 })}`, /was not submitted here \[fleet submit\]/))
})
