// Refs: references to a target and a run, its agents and its tests, in whatever store they are.
import { Schema } from "effect"

/** `command` is any program: it prints nothing that can be decoded before its end. */
export const AgentKind = Schema.Literals(["codex", "claude", "command"])
export type AgentKind = typeof AgentKind.Type

// Names of runs, which sort as they were created

/** `<run-id>` = `<utc-second>-<nanos>-p<pid>`. */
export const runIdPattern = /^\d{8}T\d{6}Z-\d{9}-p\d+$/

/** A run id for an instant (milliseconds and nanoseconds within its second) and a process. */
export const runId = (isoSecond: string, nanos: number, pid: number): string =>
  `${isoSecond.replace(/\.\d+Z?$/, "Z").replace(/[-:]/g, "")}-${String(nanos).padStart(9, "0")}-p${pid}`

/**
 * The id for a new run beside `newest`, the last in the order of names: `id` itself or, if the clock was set back and
 * it would come before that one, an id of the nanosecond after it. So the newest run is always the last created.
 */
export const runIdAfter = (id: string, newest: string | null): string => {
  if (newest === null || id > newest) return id
  const [, year, month, day, hour, minute, second, nanos] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d{9})/.exec(newest) ?? []
  const next = (Number(nanos) + 1) % 1_000_000_000
  const begins = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) + (next === 0 ? 1000 : 0)
  if (Number.isNaN(begins)) return id
  return runId(new Date(begins).toISOString(), next, Number(id.slice(id.lastIndexOf("p") + 1)))
}

/** A target of a repository in one store. `root` names the store, and only that store knows what it means. */
export interface TargetRef {
  readonly root: string
  readonly repoId: string
  readonly targetKey: string
}

export interface RunRef extends TargetRef {
  readonly runId: string
}

/** The answer of a target's `latest`: no pointer, a name that leads nowhere, or a run. */
export type Latest =
  | { readonly _tag: "None" }
  | { readonly _tag: "Dangling" }
  | { readonly _tag: "Run"; readonly run: RunRef }

/** An attempt of an agent of a run. Agents and attempts are counted from 1; `id` is unique and marks its processes. */
export interface AgentRef {
  readonly run: RunRef
  readonly agent: number
  readonly attempt: number
  readonly id: string
  readonly kind: AgentKind
}

/** A run of one of the project's tests. Tests are counted from 1; `id` is unique and marks its processes. */
export interface TestRef {
  readonly run: RunRef
  readonly test: number
  readonly id: string
}

/** A key for maps: equal for two references exactly if they name the same target. */
export const targetText = ({ repoId, root, targetKey }: TargetRef): string => JSON.stringify([root, repoId, targetKey])

/** A key for maps: equal exactly for the same run. */
export const runText = ({ repoId, root, runId, targetKey }: RunRef): string =>
  JSON.stringify([root, repoId, targetKey, runId])

/** Whether two references name the same run. */
export const sameRun = (a: RunRef, b: RunRef): boolean => runText(a) === runText(b)

/** The order of lists of runs: the newest first. Runs of one instant are distinguished by their targets. */
export const newestFirst = (a: RunRef, b: RunRef): number => {
  if (a.runId !== b.runId) return a.runId < b.runId ? 1 : -1
  const [one, other] = [`${a.repoId}/${a.targetKey}/`, `${b.repoId}/${b.targetKey}/`]
  return one === other ? 0 : one < other ? -1 : 1
}
