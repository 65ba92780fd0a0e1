// Layout: where everything that a run keeps lies on this machine's disk, as the contract lays it out.
// The one rule: a path is composed here and nowhere else; only validated parts go in.
import { runDir } from "../../core/run/Paths.ts"
import type { RunRef } from "../../core/run/Refs.ts"

/** The files of one log inside a run's directory. The log is the truth; the others are aids, or evidence. */
export interface LogFiles {
  readonly directory: string
  readonly log: string
  readonly head: string
  readonly newHead: string
  readonly lock: string
  readonly torn: string
}

/** The files of a run's log of one kind. That of its reviews came first and has the contract's plain names. */
export const logFiles = (run: RunRef, kind: string): LogFiles => {
  const directory = runDir(run)
  const [log, prefix] = kind === "review" ? ["manifest", ""] : [kind, `${kind}.`]
  return {
    directory,
    log: `${directory}/${log}.jsonl`,
    head: `${directory}/${prefix}head.json`,
    newHead: `${directory}/${prefix}head.json.new`,
    lock: `${directory}/${prefix}lock`,
    torn: `${directory}/${prefix}torn`
  }
}
