// OpenPlan: finds the run of a plan's file, or begins one.
import { Effect } from "effect"
import { Git, targetProblemText } from "../../code/Git.ts"
import { presentIdentity, type Reviewed } from "../../code/PresentIdentity.ts"
import { finishUndo, Snapshots } from "../../code/Snapshots.ts"
import { EventLog } from "../../log/EventLog.ts"
import { runIdAfter, type RunRef, type TargetRef } from "../../log/Refs.ts"
import { fnv1a64 } from "../../review/findings/Finding.ts"
import type { Outcome } from "../../run/Outcome.ts"
import { RunStore } from "../../run/RunStore.ts"
import { newestIn, ownerOf, storeOf } from "../../run/Owner.ts"
import { idle } from "../Held.ts"
import { cannotCommit } from "../Ends.ts"
import { scopeSince } from "./Prompts.ts"
import type { ImplementSettings } from "./Settings.ts"
import { isOver, planRun, type PlanState, readPlan } from "./State.ts"
import { noBase } from "./TaskChoice.ts"

/** Where a plan's runs lie, and the worktree that they work in. */
export interface PlanPlace {
  readonly file: string
  readonly worktree: string
  readonly target: TargetRef
}

// A key is the name of a directory: the file's own name for people, and a digest that differs for plans of one name.
const keyOf = (file: string): string => {
  const name = (file.split("/").at(-1) ?? "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "")
  return `plan/${name.slice(0, 40)}-${fnv1a64(file)}`
}

/** Finds the place of a plan's runs. Writes nothing. `file` is absolute, and names the same plan from anywhere. */
export const locatePlan = Effect.fn("OpenPlan.locatePlan")(
  function*(file: string, stateRoot: string | null, cwd: string) {
    const repository = yield* (yield* Git).repository(cwd)
    const roots = yield* (yield* RunStore).roots(stateRoot, cwd, true)
    const named = { repoId: repository.id, targetKey: keyOf(file) }
    const target: TargetRef = { ...named, root: yield* storeOf(roots, named, repository.root) }
    return { file, worktree: repository.root, target } satisfies PlanPlace
  }
)

/** Fails where the plan's code cannot be compared with the branch of the target, now or later. Writes nothing. */
export const comparable = Effect.fn("OpenPlan.comparable")(
  function*({ worktree }: Pick<PlanPlace, "worktree">, { driven: { step: { target } }, then }: ImplementSettings) {
    if (target._tag !== "Base") return
    const git = yield* Git
    const problem = yield* git.baseProblem(worktree, target.branch)
    if (problem !== null) return yield* noBase(targetProblemText(problem))
    // Each commit would move the branch along, and leave the ladder nothing to look at.
    if (then !== null && (yield* git.branch(worktree)) === target.branch.replace(/^refs\/heads\//, "")) {
      return yield* noBase(
        `${target.branch} is checked out, so what is committed would not differ from it [git switch -c NAME first]`
      )
    }
  }
)

const begin = Effect.fnUntraced(function*({ file, target, worktree }: PlanPlace) {
  const store = yield* RunStore
  const [newest] = yield* store.runs(target)
  const runId = runIdAfter(yield* store.newRunId, newest?.runId ?? null)
  const ref: RunRef = { ...target, runId }
  yield* store.create(ref)
  const started = { _tag: "PlanStarted", runId, nonce: yield* store.nonce, plan: file, worktree } as const
  yield* (yield* EventLog).create(planRun, ref, [started])
  yield* store.point(ref)
  return ref
})

/** The run that a plan's next call goes on with; null if there is no run or its work is over. Writes nothing. */
export const presentPlan = Effect.fn("OpenPlan.presentPlan")(function*(place: PlanPlace) {
  const latest = yield* (yield* RunStore).latest(place.target)
  const run = latest._tag === "Run" ? yield* newestIn(place.target, place.worktree) : null
  if (run === null) return null
  const driver = yield* readPlan(run)
  return isOver(driver.state) ? null : driver
})

/** Finishes undos of the plan's runs that were interrupted: until then the code and the plan's marks may not agree. */
export const finishUndos = Effect.fn("OpenPlan.finishUndos")(function*({ target, worktree }: PlanPlace) {
  const { unfinished } = yield* Snapshots
  for (const run of yield* (yield* RunStore).runs(target)) {
    if (!(yield* unfinished(run))) continue
    const owner = yield* ownerOf(run)
    if (owner._tag === "Worktree" && owner.path === worktree) yield* finishUndo(run, worktree)
  }
})

/** The run that goes on, or a new one: if there is no run, if the last one is over, or with `fresh`. */
export const openPlan = Effect.fn("OpenPlan.openPlan")(function*(place: PlanPlace, fresh: boolean) {
  const store = yield* RunStore
  yield* store.prepare(place.target, place.worktree)
  yield* finishUndos(place)
  return yield* store.locked(
    place.target,
    Effect.gen(function*() {
      const present = yield* presentPlan(place)
      if (present !== null && !fresh) return present
      if (present !== null) yield* idle(present.ref)
      return yield* readPlan(yield* begin(place))
    })
  )
})

// What keeps a call from working on a plan.

const passedOver = (isKnown: boolean): Outcome => ({
  _tag: "BinaryError",
  message: `${isKnown ? "something" : "git cannot tell whether something"} was committed since this run began, and ` +
    "--then converge would not look at it [add --commit-fixes; or leave it out with --fresh]"
})

/** The end of a call that cannot go on with these settings; null for none. */
export const obstacleOf = Effect.fn("OpenPlan.obstacleOf")(
  function*({ driven, then }: ImplementSettings, reviewed: Reviewed, state: PlanState) {
    const refused = yield* cannotCommit(driven, reviewed, state, state.rounds.length === 0)
    const [first] = state.rounds
    if (refused !== null || then === null || driven.commitFixes !== null || first === undefined) return refused
    const now = yield* presentIdentity(reviewed)
    const isKnown = now.head !== undefined && first.started.content.head !== undefined
    return scopeSince(first, now)._tag === "Uncommitted" ? null : passedOver(isKnown)
  }
)
