// SafeWork: what happens around an agent: a snapshot before and after it, and a check of git's own state. An agent that
// may only read is not believed: what changes beside it is named.
// The log records each of these, so each is done once, by whichever process.
import { Effect } from "effect"
import type { TaggedEvent } from "../log/StreamKind.ts"
import type { TaskEvent, TaskEventOf } from "./Event.ts"
import { leftOutOf, rangeBetween, type Snapshot, type SnapshotCause, Snapshots } from "../code/Snapshots.ts"
import { shownName } from "../code/Names.ts"
import { takeFitting } from "../run/LongText.ts"
import type { AgentOrder } from "./Order.ts"
import { requireConsent } from "./Consent.ts"
import { commitDriver, type Driver, type DriverStream, type TaskState, transactDriver } from "./TaskLog.ts"

/** The snapshots around an agent: the first was taken before it, the second after it. */
const around = ({ state }: DriverStream, agent: number): ReadonlyArray<TaskEventOf<"SnapshotTaken">> =>
  state.agents.snapshots.filter((one) => one.agent === agent)

/** The range of an agent's work, `base..head`; null while it works. */
export const rangeOfWork = <S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  agent: number
): string | null => {
  const [before, after] = around(driver, agent)
  return before === undefined || after === undefined ? null : rangeBetween(before, after)
}

const filesBetween = ({ ref }: DriverStream, before: number, after: number) =>
  Effect.map(Snapshots.use((all) => all.diff(ref, { before, after }, 0)), ({ files }) => files)

/** Whether the worktree changed during an agent. */
export const hasChanged = <S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>, agent: number) => {
  const [before, after] = around(driver, agent)
  if (before === undefined || after === undefined) return Effect.succeed(false)
  return Effect.map(filesBetween(driver, before.snapshot, after.snapshot), (files) => files.length > 0)
}

const taken = (agent: number, snapshot: Snapshot): TaskEventOf<"SnapshotTaken"> => ({
  _tag: "SnapshotTaken",
  agent,
  snapshot: snapshot.number,
  commit: snapshot.commit,
  leftOut: leftOutOf(snapshot).length
})

// Characters of the names in an event.
const mostNames = 4000

/** The event about what counts as a person's, because nothing shows when an agent or a test ended. */
export const endMissed = (
  worker: TaskEventOf<"EndMissed">["worker"],
  number: number,
  snapshot: Snapshot | null
): ReadonlyArray<TaskEventOf<"EndMissed">> => {
  const { later = [], unseen = false } = snapshot ?? {}
  const files = takeFitting(later.map(shownName), mostNames)
  return unseen ? [{ _tag: "EndMissed", worker, number, files: [...files], count: later.length }] : []
}

const take = ({ ref }: DriverStream, { task }: AgentOrder, cause: SnapshotCause, partial: boolean) =>
  Snapshots.use((snapshots) => snapshots.take(ref, task.cwd, cause, { partial, round: task.round ?? null }))

/** Commits what the log lacks: it has `seen` of the agent's snapshots. */
const commitAfter = <S extends TaskState, X extends TaggedEvent>(
  driver: Driver<S, X>,
  agent: number,
  seen: number,
  events: ReadonlyArray<TaskEvent>
) => transactDriver(driver, (now) => around(now, agent).length > seen ? Effect.succeed(now) : commitDriver(now, events))

/**
 * Takes snapshots of what was left since the snapshot before an agent, by an earlier attempt or while no driver was there:
 * a person may have worked before the next attempt.
 */
const beforeNext = Effect.fnUntraced(
  function*<S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>, order: AgentOrder, attempt: number) {
    const { agent, task: { cwd, round = null } } = order
    if (round === null && attempt > 1) return driver
    const { takeChanged } = yield* Snapshots
    const left = round === null || attempt === 1
      ? null
      : yield* takeChanged(driver.ref, cwd, { _tag: "AfterAgent", agent }, round)
    const before = yield* take(driver, order, { _tag: "BeforeAgent", agent }, true)
    const missed = [...endMissed("Agent", agent, left), ...endMissed("Agent", agent, before)]
    return missed.length === 0 ? driver : yield* transactDriver(driver, (now) => commitDriver(now, missed))
  }
)

/**
 * Takes a snapshot of the worktree before an attempt of an agent. If the agent may write, the first one needs consent if it
 * leaves something out. `isFresh`: this call itself has just taken one.
 */
export const beforeWork = Effect.fn("SafeWork.beforeWork")(
  function*<S extends TaskState, X extends TaggedEvent>(
    driver: Driver<S, X>,
    order: AgentOrder,
    attempt: number,
    isFresh = false
  ) {
    const { agent, allow = [], task } = order
    if (around(driver, agent).length > 0) return isFresh ? driver : yield* beforeNext(driver, order, attempt)
    const reads = task.sandbox === "read-only"
    const partial = reads || driver.state.agents.consents.has("partial-snapshot") || allow.includes("partial-snapshot")
    const snapshot = yield* take(driver, order, { _tag: "BeforeAgent", agent }, partial)
    const isAllowed = reads || leftOutOf(snapshot).length === 0
    const allowed = isAllowed ? driver : yield* requireConsent(driver, "partial-snapshot", allow)
    return yield* commitAfter(allowed, agent, 0, [...endMissed("Agent", agent, snapshot), taken(agent, snapshot)])
  }
)

// An event has room for a few of them.
const mostChanges = 50

/** Takes a snapshot after an agent has ended, and compares it with the one before: git's own state, a reader's files. */
export const afterWork = Effect.fn("SafeWork.afterWork")(
  function*<S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>, order: AgentOrder) {
    const { agent, task } = order
    const [before, after] = around(driver, agent)
    if (before === undefined || after !== undefined) return driver
    const snapshots = yield* Snapshots
    const first = (yield* snapshots.list(driver.ref)).find(({ number }) => number === before.snapshot)
    // No consent is needed here: the agent has already written, whether or not a snapshot can hold it.
    const snapshot = yield* take(driver, order, { _tag: "AfterAgent", agent }, true)
    const { changed, noted } = first === undefined
      ? { changed: ["the snapshots of this run"], noted: [] }
      : yield* snapshots.gitChanges(driver.ref, first, snapshot)
    const what = changed.slice(0, mostChanges)
    const meanwhile = noted.slice(0, mostChanges)
    const isReader = task.sandbox === "read-only" && snapshot.unseen !== true
    const files = isReader ? yield* filesBetween(driver, before.snapshot, snapshot.number) : []
    const readers = files.length === 0 ? {} : { files: takeFitting(files, mostNames) }
    const ended: ReadonlyArray<TaskEvent> = what.length + files.length === 0
      ? []
      : [{ _tag: "GitStateChanged", agent, what, ...readers }]
    const about = meanwhile.length === 0 ? {} : { meanwhile }
    const events = [...endMissed("Agent", agent, snapshot), ...ended, { ...taken(agent, snapshot), ...about }]
    return yield* commitAfter(driver, agent, 1, events)
  }
)
