// ReviewerJobs: attempts to review as the jobs and orders of the guard.
import type { AttemptRef } from "../../core/run/Refs.ts"
import { withoutInstructions } from "../../core/run/Target.ts"
import { type Variables, withoutRepository } from "../../services/Environment.ts"
import type { Launch } from "../../services/Reviewers.ts"
import type { EarlierJob, Job, Order } from "../process/Job.ts"
import { archivedFiles, attemptFiles, wakeFile } from "../store/Layout.ts"

/** Variables that make codex colour its transcript or fill it with debug lines, so that it cannot be read reliably. */
export const removed: ReadonlyArray<string> = ["FORCE_COLOR", "CLICOLOR_FORCE", "RUST_LOG", "RUST_BACKTRACE"]

/** The job of an attempt. */
export const jobOf = (attempt: AttemptRef): Job => {
  const { exit, journal, lock, log, out } = attemptFiles(attempt)
  return { id: attempt.id, files: { journal, lock, log, out, exit } }
}

/** The attempts before one, newest first. Each of them is over: it ended, or it was recorded as stopped. */
const earlier = (next: AttemptRef): ReadonlyArray<EarlierJob> =>
  Array.from({ length: next.attempt - 1 }, (_, back) => {
    const before: AttemptRef = { ...next, attempt: next.attempt - 1 - back, id: "" }
    const [files, archived] = [attemptFiles(before), archivedFiles(before)]
    const moves = (["exit", "review", "out", "log"] as const).map((kind) => ({ from: files[kind], to: archived[kind] }))
    return { ...jobOf(before), moves }
  })

const environmentOf = ({ isolated }: Launch, all: Variables): Variables => {
  const ours = Object.fromEntries(Object.entries(all).filter(([name]) => !removed.includes(name)))
  return isolated ? withoutRepository(ours) : ours
}

/**
 * The arguments by which codex uses no settings of a project (MCP servers, hooks, instructions), even where its user
 * trusts the directory. One table, because codex splits a key at every dot, also in a path.
 */
export const untrusted = (cwd: string): ReadonlyArray<string> => {
  const key = JSON.stringify(cwd).replaceAll("\x7f", "\\u007f")
  return ["-c", `projects={${key}={trust_level="untrusted"}}`]
}

const isOfOthers = ({ argv }: Launch): boolean => withoutInstructions.every((word) => argv.includes(word))

/** The order to run codex for an attempt, with this environment; `tied`: it ends with this process. */
export const orderOf = (attempt: AttemptRef, launch: Launch, environment: Variables, tied: boolean): Order => ({
  ...jobOf(attempt),
  label: `starting ${attempt.level}-${attempt.slot}, attempt ${attempt.attempt}`,
  command: [launch.binary, ...launch.argv, ...(isOfOthers(launch) ? untrusted(launch.cwd) : [])],
  cwd: launch.cwd,
  line: launch.line,
  environment: environmentOf(launch, environment),
  input: null,
  wake: wakeFile(attempt),
  deadline: launch.reviewTimeout,
  maxBytes: launch.maxTranscript,
  tied,
  earlier: earlier(attempt)
})
