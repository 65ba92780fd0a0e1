// ReviewerJobs: attempts to review as the jobs and orders of the guard.
import { archivedFiles, type SlotFiles, slotFiles } from "../../core/run/Paths.ts"
import type { Variables } from "../../services/Environment.ts"
import type { Attempt, Launch } from "../../services/Reviewers.ts"
import type { EarlierJob, Job, JobFiles, Order } from "../process/Job.ts"

// They make codex colour or fill its transcript, and then no line of it can be relied on.
const removed: ReadonlyArray<string> = ["FORCE_COLOR", "CLICOLOR_FORCE", "RUST_LOG", "RUST_BACKTRACE"]

const jobFiles = ({ exit, lock, log, out, run }: SlotFiles): JobFiles => ({ journal: run, lock, log, out, exit })

/** The job of an attempt. */
export const jobOf = ({ files, id }: Attempt): Job => ({ id, files: jobFiles(files) })

/** The attempts before one, newest first. Each has been given up: by its end, or by a record that it was stopped. */
const earlier = ({ attempt, dir, level, slot }: Attempt): ReadonlyArray<EarlierJob> =>
  Array.from({ length: attempt - 1 }, (_, back) => {
    const before = attempt - 1 - back
    const files = slotFiles(dir, level, slot, before)
    const archived = archivedFiles(dir, level, slot, before)
    const moves = (["exit", "review", "out", "log"] as const).map((kind) => ({ from: files[kind], to: archived[kind] }))
    return { id: "", files: jobFiles(files), moves }
  })

/** The order to run codex for an attempt, in such an environment. */
export const orderOf = (attempt: Attempt, launch: Launch, environment: Variables): Order => ({
  ...jobOf(attempt),
  label: `starting ${attempt.level}-${attempt.slot}, attempt ${attempt.attempt}`,
  command: [launch.binary, ...launch.argv],
  cwd: launch.cwd,
  environment: Object.fromEntries(Object.entries(environment).filter(([name]) => !removed.includes(name))),
  input: null,
  deadline: launch.reviewTimeout,
  maxBytes: launch.maxTranscript,
  earlier: earlier(attempt)
})
