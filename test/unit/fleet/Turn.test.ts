// Turn: the end of a turn is recorded with its target, and a temporary fault makes it fail. test/fleet drives for real.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { pinnedLayers as shown } from "../../../src/fleet/PinnedCode.live.ts"
import { targetOf } from "../../../src/fleet/Submission.ts"
import { turn } from "../../../src/fleet/Turn.ts"
import type { FleetTarget, FleetTargetState, TurnEnd } from "../../../src/fleet/FleetTargets.ts"
import { PinnedCode } from "../../../src/fleet/PinnedCode.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { RunStore, StoreFailed } from "../../../src/run/RunStore.ts"
import type { DatabaseRefused } from "../../../src/platform/SystemFault.ts"
import { TreeFailed, type TreeReason } from "../../../src/fleet/WorkingTrees.ts"
import * as Memory from "../../../src/testing/Memory.ts"
import { failure, issues, type Scripted, silence, transientFailure } from "../../../src/testing/Scripted.ts"
import { pinnedOf } from "./pins.ts"
import { submissionsWith, targetsWith, treesWith } from "./fakes.ts"

const root = "pg:1"
const ladder = { floor: "low", ceiling: "low", batchSize: 1 }
const pinned = pinnedOf("a", ladder)
const target = targetOf(root, pinned.submission)
const turning = { codexBin: "codex", retro: "clean", idleTimeout: 1000, reviewTimeout: 1000 } as const

interface Case {
  readonly trees?: TreeReason
  readonly store?: DatabaseRefused
  readonly submitted?: boolean
  readonly pinned?: boolean
  /** What differs in its submission. */
  readonly other?: object
  /** What its reviewers do, if they do not find nothing. */
  readonly script?: () => Scripted
  /** Whether they die without a trace: all, or the first of each batch. */
  readonly dies?: boolean | "first"
  /** For the how many-th time this turn is taken. */
  readonly tries?: number
  /** After how many looks there is another submission. */
  readonly looks?: number
  /** What a failed turn before it left, where there was one. */
  readonly failed?: Partial<FleetTarget>
}

/** Target 1 as a turn leaves it that has failed. */
const parked: FleetTarget = {
  target,
  submission: 1,
  head: pinned.submission.head,
  turns: 1,
  standing: "Parked",
  since: 0,
  run: "r",
  moved: false,
  end: { header: "BinaryError", code: 6 }
}

/** What the log of the target's run has recorded. */
const recorded = Effect.gen(function*() {
  const store = yield* RunStore
  const [run] = yield* store.list(yield* store.open(null, ""), null)
  return run === undefined
    ? []
    : (yield* (yield* EventLog).read(reviewRun, run)).commits.flatMap(({ events }) => events)
})

/** Takes one turn; what was recorded of the target, and the wakes that were asked for. */
const turned = ({ dies = false, other, script, store, submitted = true, trees, tries = 6, ...given }: Case) => {
  const pinned = { ...pinnedOf("a", { ...ladder, ...other }), dismissals: "" }
  let looks = given.looks ?? Number.POSITIVE_INFINITY
  const ends: Array<readonly [FleetTargetState, TurnEnd]> = []
  const wakes: Array<string> = []
  const isPinned = given.pinned ?? trees === undefined
  const pins = isPinned ? [pinned] : []
  const ports = Layer.mergeAll(
    submissionsWith(pins, {
      of: () =>
        Effect.sync(() => submitted ? [{ number: looks-- > 0 ? 1 : 2, at: 0, submission: pinned.submission }] : []),
      pin: (_target, _number, one) => Effect.sync(() => void pins.push(one))
    }),
    targetsWith({
      of: () => Effect.succeed(given.failed === undefined ? null : { ...parked, ...given.failed }),
      turned: (_target, { end, standing }) => Effect.sync(() => void ends.push([standing, end])),
      wakeLater: (_target, why) => Effect.sync(() => void wakes.push(why.split(" ")[0] ?? ""))
    }),
    treesWith(
      pinned.tree,
      trees === undefined ? {} : { open: () => Effect.fail(new TreeFailed({ path: "/work", reason: trees })) }
    ),
    Layer.succeed(PinnedCode, { pin: () => Effect.succeed(pinned), shown })
  )
  let launched = 0
  const dying = Layer.effect(
    Reviewers,
    Effect.map(Reviewers, (all) => ({
      ...all,
      launch: (attempts, launch) =>
        Effect.suspend(() => {
          launched += attempts.length
          return all.launch(attempts, launch)
        }),
      look: (attempts) =>
        Effect.map(
          all.look(attempts),
          (states) =>
            states.map((state, i) =>
              dies === true || dies === "first" && attempts[i]?.slot === 1 ? { _tag: "Lost" } : state
            )
        )
    }))
  )
  const failing = store === undefined
    ? undefined
    : Layer.effect(
      RunStore,
      Effect.map(RunStore, (all) => ({
        ...all,
        latest: () => Effect.fail(new StoreFailed({ path: "x", reason: store }))
      }))
    )
  const world = Memory.layer(script === undefined ? {} : { script })
  const memory = Layer.provideMerge(dying, world)
  const all = failing === undefined ? memory : Layer.provideMerge(failing, memory)
  return Effect.runPromise(
    turn(target, turning, tries).pipe(
      Effect.match({ onFailure: (error) => error._tag, onSuccess: () => null }),
      Effect.bindTo("failed"),
      Effect.bind("events", () => recorded),
      Effect.provide(Layer.merge(ports, all)),
      Effect.map(({ events, failed }) => ({ failed, ends, wakes, pins: pins.length, launched, events }))
    )
  )
}

describe("a turn", () => {
  it("of a target that waits for its reviewers is under way, and looked at once more", async () => {
    const { failed, pins, ends, wakes } = await turned({ script: () => silence })
    assert.isNull(failed)
    assert.deepStrictEqual([ends, wakes, pins], [[["Active", { header: "Idle", code: 7 }]], ["second"], 1])
  })

  it("of one whose reviewers have all found nothing is done", async () => {
    const { ends, wakes } = await turned({})
    assert.deepStrictEqual([ends, wakes], [[["Done", { header: "DoneFixedPoint", code: 0 }]], []])
  })

  it("begins a strict run whose reviewers read frozen copies", async () => {
    const [created] = (await turned({})).events
    assert.deepInclude(created, { _tag: "RunCreated", strict: true, frozen: true })
  })

  it("of findings that no push has answered leaves them to a person", async () => {
    const { ends, launched } = await turned({ script: () => issues() })
    assert.deepStrictEqual([ends, launched], [[["Parked", { header: "HandoffAgent: AddressBatch", code: 5 }]], 1])
  })

  it("of a review that is to be tried again wakes its run then, and once more", async () => {
    const { ends, wakes } = await turned({ script: () => transientFailure() })
    assert.deepStrictEqual([ends[0]?.[0], wakes], ["Active", ["retry", "second"]])
  })

  it("answers no retrospective once there is another submission", async () => {
    const { ends, events } = await turned({ other: { ceiling: "medium" }, looks: 2 })
    assert.isEmpty(ends)
    assert.strictEqual(events.at(-1)?._tag, "BatchCompleted")
  })

  it("asks for no lost review again where another one of its batch has failed for good", async () => {
    const { ends, launched } = await turned({ dies: "first", other: { batchSize: 2 }, script: () => failure() })
    assert.deepStrictEqual([ends.map(([standing]) => standing), launched], [["Parked"], 2])
  })

  it("pins what no one has pinned", async () => {
    const { pins, ends } = await turned({ pinned: false })
    assert.deepStrictEqual([ends[0]?.[0], pins], ["Done", 1])
  })

  it("of nothing that was submitted does nothing", async () =>
    assert.deepStrictEqual(
      await turned({ submitted: false }),
      { failed: null, ends: [], wakes: [], pins: 1, launched: 0, events: [] }
    ))

  it("asks for a review that is lost three times, and then parks the target", async () => {
    const { launched, ends } = await turned({ dies: true })
    assert.deepStrictEqual([ends.map(([standing]) => standing), launched], [["Parked"], 3])
    assert.match(`${ends[0]?.[1].header}`, /^BinaryError: .*slot 1: Lost: /)
  })

  it.each<readonly [string, Partial<FleetTarget>, number]>([
    ["rests", {}, 0],
    ["is taken up where its run has moved since", { moved: true }, 1],
    ["is taken up with another submission", { submission: 0 }, 1],
    ["is taken up where it did not fail", { end: { header: "HandoffAgent", code: 2 } }, 1],
    ["is taken up where somebody asked for it", { standing: "Active" }, 1]
  ])(
    "of a target that a failed turn parked %s: %j",
    async (_, failed, turns) => assert.lengthOf((await turned({ failed })).ends, turns)
  )

  it("parks a target whose clone cannot be made, in one line with what to do", async () => {
    const { failed, ends } = await turned({ trees: { _tag: "CommitMissing" } })
    assert.isNull(failed)
    assert.deepStrictEqual(ends.map(([standing, { code }]) => [standing, code]), [["Parked", 6]])
    assert.match(`${ends[0]?.[1].header}`, /^BinaryError: .* \[push it, and submit it again\]$/)
  })

  it("fails while the host of a repository may still answer, and parks the target in the end", async () => {
    const fault = { _tag: "ProgramFailed", program: "git", status: 128, said: "fatal: no answer" } as const
    const trees: TreeReason = { _tag: "GitRefused", what: "fetching", fault }
    const early = await turned({ trees, tries: 5 })
    assert.deepStrictEqual([early.failed, early.ends], ["TreeFailed", []])
    const late = await turned({ trees })
    assert.isNull(late.failed)
    assert.deepStrictEqual(late.ends.map(([standing, { code }]) => [standing, code]), [["Parked", 6]])
  })

  it("comes again later while another one uses the mirror, however often it has failed", async () => {
    const { failed, ends, wakes } = await turned({ trees: { _tag: "LockHeld", seconds: 10 }, tries: 6 })
    assert.deepStrictEqual([failed, ends, wakes], [null, [], ["clone"]])
  })

  it.each([
    ["while its clone was made", 1, 0],
    ["while it stepped", 2, 1]
  ])("stops without a report if there was another submission %s", async (_, looks, launches) => {
    const { failed, launched, ends, wakes } = await turned({ looks, dies: true, pinned: false })
    assert.deepStrictEqual([failed, ends, wakes, launched], [null, [], [], launches])
  })

  it.each([["unreachable", true], ["busy", true], ["denied", false]] as const)(
    "by a database that is %s is taken again: %j",
    async (why, again) => {
      const { failed, ends } = await turned({ store: { _tag: "DatabaseRefused", why, state: null } })
      assert.strictEqual(failed, again ? "StoreFailed" : null)
      assert.lengthOf(ends, again ? 0 : 1)
    }
  )
})
