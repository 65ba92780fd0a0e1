// Layout: the place of every file of a run on this machine's disk, as in the contract.
// Paths are composed only here, from validated parts.
import { resolve } from "node:path"
import { repositoryDirectory, runDirectory, runsDirectory, runsName, targetDirectory } from "../log/LogFile.live.ts"
import { type AgentRef, runIdPattern, type RunRef, type TargetRef, type TestRef } from "../log/Refs.ts"
import type { BatchRef, ReviewRef } from "./Refs.ts"
import type { BatchPlaces, SlotPlaces, RunPlaces } from "./RunStore.ts"

/** The work path of a fleet without `//`, `.`, `..` and a final `/`, so that it can be compared. */
export const workPath = (given: string): string => resolve(given)

/** The directory of a repository's temporary copies of code, removed when it is empty. No branch name begins so. */
export const scratchesDirectory = (target: TargetRef): string => `${repositoryDirectory(target)}/.scratch`

/** The file of a person's consent to tests of a repository, by its digest. No branch name begins so. */
export const testConsentFile = (at: Pick<TargetRef, "root" | "repoId">, digest: string): string =>
  `${repositoryDirectory(at)}/.tests/${digest}`

/** The directory of the locks of the processes that drive worktrees of a repository. No branch name begins so. */
export const driversDirectory = (at: Pick<TargetRef, "root" | "repoId">): string =>
  `${repositoryDirectory(at)}/.drivers`

/** The pointer to a target's current run. */
export const latestFile = (target: TargetRef): string => `${targetDirectory(target)}/latest`

/** The lock under which a target's runs are opened, created and removed. */
export const targetLock = (target: TargetRef): string => `${targetDirectory(target)}/lock`

/** The directories that lead to a target's runs, from the root down. */
export const directoriesTo = (target: TargetRef): ReadonlyArray<string> => {
  const parts = target.targetKey.split("/")
  const below = parts.map((_, i) => targetDirectory({ ...target, targetKey: parts.slice(0, i + 1).join("/") }))
  return [target.root, repositoryDirectory(target), ...below, runsDirectory(target)]
}

/** The run whose directory has these names below its repository's, or null; a branch may be called `runs`. */
export const runAt = (root: string, repoId: string, names: ReadonlyArray<string>): RunRef | null => {
  const [runId = "", parent] = [names.at(-1), names.at(-2)]
  return parent === runsName && runIdPattern.test(runId)
    ? { root, repoId, targetKey: names.slice(0, -2).join("/"), runId }
    : null
}

/** The name of a run while it is being removed, which is no name of a run, and back. */
export const removedName = (runId: string): string => `.removing-${runId}`
export const isRemovedName = (name: string): boolean =>
  name.startsWith(removedName("")) && runIdPattern.test(name.slice(removedName("").length))

/** The path of a file that a run keeps beside its log, by its name in the log. */
export const keptFile = (run: RunRef, name: string): string => `${runDirectory(run)}/${name}`

/** The directory that holds a run's levels, which hold its batches. */
export const levelsDirectory = (run: RunRef): string => `${runDirectory(run)}/levels`

/** `levels/level-<L>/batch-<n>` of a run. */
export const batchDirectory = ({ batch, level, run }: BatchRef): string =>
  `${levelsDirectory(run)}/level-${level}/batch-${batch}`

/** The private repository of a run, which holds frozen code. */
export const codeDirectory = (run: RunRef): string => `${runDirectory(run)}/code`

/** What is known of the files of a run without frozen copies, so that only changed ones are read again. */
export const seenFile = (run: RunRef): string => `${runDirectory(run)}/stat-cache`

/** The directory of a run's copies of code, removed when it is empty. */
export const isolatedDirectory = (run: RunRef): string => `${runDirectory(run)}/isolated`

/** The lock under which copies of code of a run are made and removed. */
export const isolationLock = (run: RunRef): string => `${runDirectory(run)}/isolated.lock`

/** The protected files of a run as they were when it began. */
export const protectedFile = (run: RunRef): string => `${runDirectory(run)}/protected.json`

/** What undos moved out of the worktree. */
export const asideDirectory = (run: RunRef): string => `${runDirectory(run)}/aside`

/** The plan of an undo that is under way. */
export const undoFile = (run: RunRef): string => `${runDirectory(run)}/undo.json`

/** The lock under which snapshots of a run are taken and restored. */
export const undoLock = (run: RunRef): string => `${runDirectory(run)}/undo.lock`

/** The document for an agent about a batch. */
export const findingsFile = (batch: BatchRef): string => `${batchDirectory(batch)}/findings.md`

/** The document for an agent about a whole run. */
export const historyFile = (run: RunRef): string => `${runDirectory(run)}/history.md`

/** The places of a run. */
export const runPlaces = (run: RunRef): RunPlaces => ({
  directory: runDirectory(run),
  history: historyFile(run),
  transcripts: `${levelsDirectory(run)}/level-<L>/batch-<n>/<L>-<slot>.log`,
  agentTranscript: (attempt) => agentFiles({ ...attempt, run }).log
})

const stemOf = (batch: BatchRef, slot: number): string => `${batchDirectory(batch)}/${batch.level}-${slot}`

/** The directory that a step watches while it waits for a batch. */
export const wakeDirectory = (batch: BatchRef): string => `${batchDirectory(batch)}/wake`

/** The file that is touched whenever the exit file of an attempt of a slot is in place. */
export const wakeFile = (review: ReviewRef): string => `${wakeDirectory(review)}/${review.slot}`

const slotPlaces = (stem: string): SlotPlaces => ({
  log: `${stem}.log`,
  out: `${stem}.out`,
  review: `${stem}.review.json`
})

/** The places of a batch with this many slots. */
export const batchPlaces = (batch: BatchRef, size: number): BatchPlaces => ({
  directory: batchDirectory(batch),
  findings: findingsFile(batch),
  transcripts: `${stemOf(batch, 1)}.log${size === 1 ? "" : ` to ${batch.level}-${size}.log`}`,
  slots: Array.from({ length: size }, (_, i) => slotPlaces(stemOf(batch, i + 1)))
})

export interface AttemptFiles extends SlotPlaces {
  readonly exit: string
  /** Which wrapper guards the reviewer, and what happened to it. This file and the lock belong to one attempt. */
  readonly journal: string
  readonly lock: string
}

/** The files of a slot's current attempt: `<L>-<slot>.{log,out,exit,review.json}`, and its `.run` and `.lock`. */
export const attemptFiles = (review: ReviewRef): AttemptFiles => {
  const stem = stemOf(review, review.slot)
  return {
    ...slotPlaces(stem),
    exit: `${stem}.exit`,
    journal: `${stem}.${review.attempt}.run`,
    lock: `${stem}.${review.attempt}.lock`
  }
}

/** Whether a file of a batch is the lock of an attempt. */
export const isAttemptLock = (name: string): boolean => name.endsWith(".lock")

/** The journal beside the lock of an attempt, an agent or a test. */
export const journalOf = (lock: string): string => lock.replace(/\.lock$/, ".run")

/** Where an ended attempt's files are moved before the next attempt of its slot starts. */
export const archivedFiles = (review: ReviewRef): SlotPlaces & Pick<AttemptFiles, "exit"> => {
  const stem = `${stemOf(review, review.slot)}.${review.attempt}`
  return { ...slotPlaces(stem), exit: `${stem}.exit` }
}

/** The directory of the hook's Claude Code sessions. */
export const sessionsDirectory = (root: string): string => `${root}/sessions`

/** The state of a session, and its lock. `digest` is the digest of the session's id. */
export const sessionFiles = (root: string, digest: string): { readonly state: string; readonly lock: string } => ({
  state: `${sessionsDirectory(root)}/${digest}.json`,
  lock: `${sessionsDirectory(root)}/${digest}.lock`
})

/** The hook's debug log of its own work. */
export const hookLog = (temporary: string): string => `${temporary}/ooda-codex-review-hook.log`

// Agents and tests

/** The directory that holds a run's agents. */
export const agentsDirectory = (run: RunRef): string => `${runDirectory(run)}/agents`

type AgentPlace = Pick<AgentRef, "run" | "agent">

/** The directory of an agent, with the files of each attempt. */
export const agentDirectory = ({ agent, run }: AgentPlace): string => `${agentsDirectory(run)}/${agent}`

/** The directory of an agent's temporary files, the only one of a run that an agent may write to. */
export const agentScratch = (place: AgentPlace): string => `${agentDirectory(place)}/tmp`

/** The directory that followers of an agent watch, and the file in it that announces the end of an attempt. */
export const agentWakeDirectory = (place: AgentPlace): string => `${agentDirectory(place)}/wake`
export const agentWakeFile = (attempt: AgentRef): string => `${agentWakeDirectory(attempt)}/${attempt.attempt}`

/** The directory that holds a run's tests. */
export const testsDirectory = (run: RunRef): string => `${runDirectory(run)}/tests`

const testDirectory = ({ run, test }: TestPlace): string => `${testsDirectory(run)}/${test}`

type TestPlace = Pick<TestRef, "run" | "test">

/** The directory that followers of a test watch, and the file in it that announces its end. */
export const testWakeDirectory = (place: TestPlace): string => `${testDirectory(place)}/wake`
export const testWakeFile = (place: TestPlace): string => `${testWakeDirectory(place)}/1`

/** The files of a test's guard. */
export const testFiles = (place: TestPlace) => {
  const stem = `${testDirectory(place)}/1`
  return { log: `${stem}.log`, out: `${stem}.out`, exit: `${stem}.exit`, journal: `${stem}.run`, lock: `${stem}.lock` }
}

/** The files of one attempt of an agent: its guard's, its request, and the schema of its answer. */
export const agentFiles = (one: Omit<AgentRef, "id" | "kind">) => {
  const stem = `${agentDirectory(one)}/${one.attempt}`
  return {
    log: `${stem}.log`,
    out: `${stem}.out`,
    exit: `${stem}.exit`,
    journal: `${stem}.run`,
    lock: `${stem}.lock`,
    prompt: `${stem}.prompt`,
    schema: `${stem}.schema.json`
  }
}
