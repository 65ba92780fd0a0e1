// Around: the snapshots around the agents of one piece of work, and the protected files that changed between them.
import { Effect } from "effect"
import type { Held } from "../agents/Driver.ts"
import { shownName } from "../core/agent/Snapshot.ts"
import { fitting } from "../core/text/Fitting.ts"
import { Snapshots } from "../services/Snapshots.ts"

// An event has room for so many bytes of names, less those that are only counted.
const mostBytes = 16_000

// The files there decide which findings block and which commands run. No agent may decide that.
const own = ".ooda/**"

/** The snapshots around the agents whose tasks begin with `prefix`: before the first that wrote, after the last. */
export const around = ({ state: { agents } }: Held, prefix: string) => {
  const numbers = new Set(
    agents.agents.filter(({ started }) => started.taskId.startsWith(prefix)).map(({ agent }) => agent)
  )
  const taken = agents.snapshots.filter(({ agent }) => numbers.has(agent))
  const [first, last] = [taken[0], taken.at(-1)]
  return first === undefined || last === undefined ? null : { first: first.snapshot, last: last.snapshot }
}

/** The files that such agents changed although they match a pattern, or lie in `.ooda`, in a form for people. */
export const protectedFiles = Effect.fn("Around.protectedFiles")(
  function*(driver: Held, prefix: string, worktree: string, protect: ReadonlyArray<string>) {
    const range = around(driver, prefix)
    if (range === null) return []
    const between = { before: range.first, after: range.last }
    const files = yield* (yield* Snapshots).changed(driver.ref, worktree, between, [own, ...protect])
    const names = fitting(files.map(shownName), mostBytes)
    return names.length < files.length ? [...names, `and ${files.length - names.length} more`] : names
  }
)
