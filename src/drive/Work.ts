// Work: what the drivers of all runs share while they drive: the stream, where the work lies, and what may be run.
import { Effect } from "effect"
import { commitDriver, type Driver, type DriverStream, transactDriver } from "../agent/TaskLog.ts"
import { shownName, Snapshots } from "../code/Snapshots.ts"
import type { RunRef } from "../log/Refs.ts"
import type { TaggedEvent } from "../log/StreamKind.ts"
import { takeFitting } from "../run/LongText.ts"
import type { Target } from "../run/Target.ts"
import type { DrivenEvent, DrivenState } from "./State.ts"

/** A run that is driven. Its work lies in the root of `worktree`; what `target` names is what its content is. */
export interface Work<S extends DrivenState, X extends TaggedEvent> {
  readonly driver: Driver<S, DrivenEvent | X>
  readonly run: {
    readonly ref: RunRef
    readonly manifest: { readonly target: Target; readonly worktree: string }
  }
  /** The most time of one test, in milliseconds. */
  readonly settings: { readonly testTimeout: number }
}

/**
 * Commits events on the head that they were decided from. Where another process was first nothing is committed: what it
 * wrote is read, and the driver decides again.
 */
export const record = Effect.fn("Work.record")(
  function*<S extends DrivenState, X extends TaggedEvent, W>(
    work: W & Work<S, X>,
    events: ReadonlyArray<DrivenEvent | X>
  ) {
    const { head } = work.driver
    const driver = yield* transactDriver(
      work.driver,
      (now) => now.head.seq === head.seq ? commitDriver(now, events) : Effect.succeed(now)
    )
    return { ...work, driver }
  }
)

// The snapshots around the agents of one piece of work, and the protected files that changed between them.

// An event has room for so many bytes of names, less those that are only counted.
const mostBytes = 16_000

// The files there decide which findings block and which commands run. No agent may decide that.
const own = ".ooda/**"

/** The snapshots around the agents whose tasks begin with `prefix`: before the first that wrote, after the last. */
export const around = ({ state: { agents } }: DriverStream, prefix: string) => {
  const numbers = new Set(
    agents.agents.filter(({ started }) => started.taskId.startsWith(prefix)).map(({ agent }) => agent)
  )
  const taken = agents.snapshots.filter(({ agent }) => numbers.has(agent))
  const [first, last] = [taken[0], taken.at(-1)]
  return first === undefined || last === undefined ? null : { first: first.snapshot, last: last.snapshot }
}

/** The files that such agents changed although they match a pattern, or lie in `.ooda`, in a form for people. */
export const protectedFiles = Effect.fn("Work.protectedFiles")(
  function*(driver: DriverStream, prefix: string, worktree: string, protect: ReadonlyArray<string>) {
    const range = around(driver, prefix)
    if (range === null) return []
    const between = { before: range.first, after: range.last }
    const files = yield* (yield* Snapshots).changed(driver.ref, worktree, between, [own, ...protect])
    const names = takeFitting(files.map(shownName), mostBytes)
    return names.length < files.length ? [...names, `and ${files.length - names.length} more`] : names
  }
)
