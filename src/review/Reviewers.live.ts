// Reviewers.live: reviewers as real processes, each guarded by a wrapper that outlives the step.
// It decides nothing. It only reports what it sees.
import { createHash } from "node:crypto"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, Layer } from "effect"
import { clientVariables, noteDropped } from "../agent/ClientVariables.live.ts"
import { codexHome, codexHomeIn } from "../agent/CodexHome.live.ts"
import { plainText } from "../code/Repository.live.ts"
import { findBinary } from "../platform/Binary.ts"
import { openOnDisk, textOf } from "../platform/Files.ts"
import type { AttemptRef } from "../run/Refs.ts"
import { Environment, type Variables, withCallersPath, withoutRepository } from "../platform/Environment.ts"
import { type Fields, note, recovered } from "../platform/Note.ts"
import { mark } from "../platform/guard/Liveness.ts"
import { listen, makeGuard } from "../platform/guard/Guard.ts"
import type { EarlierJob, GuardFault, Job, Order } from "../platform/guard/Job.ts"
import type { StalledTail } from "../platform/guard/Look.ts"
import { archivedFiles, attemptFiles, wakeDirectory, wakeFile } from "../run/Layout.live.ts"
import type { ReviewerState } from "../run/ReviewTokens.ts"
import { coreVariables, givenVariable, ownVariables } from "../run/Target.ts"
import { counted } from "../text/Phrases.ts"
import { answerGrace } from "./Limits.ts"
import { CodexMissing, type Launch, ReviewerFault, Reviewers } from "./Reviewers.ts"
import { makeRecordsReview } from "./Session.live.ts"
import { sessionId } from "./verdict/Transcript.ts"

const reconnecting = /^(?:ERROR: |warning: )?Reconnecting\.\.\. /
const waiting = /Reconnecting\.\.\. waiting for network/
// Other lines that codex logs while it reconnects. They are no progress, and do not prove that it waits.
const beside = /^(?:\d{4}-\d\d-\d\dT\S+\s+(?:ERROR|WARN)\s+codex_api::|warning: Falling back from WebSockets )/

/** The stalled tail of a transcript's end, or null if its last line is progress. One character must be one byte. */
export const stalledTail = (text: string): StalledTail | null => {
  let waits = 0
  let retries = 0
  let end = text.length
  while (end > 0) {
    const start = end < 2 ? 0 : text.lastIndexOf("\n", end - 2) + 1
    const line = text.slice(start, end).trimEnd()
    if (reconnecting.test(line)) {
      retries += 1
      if (waiting.test(line)) waits += 1
    } else if (line !== "" && !beside.test(line)) {
      // The first line of the text may lack its beginning, so its kind is unknown.
      return retries === 0 ? null : { from: end, waits, cut: start === 0 }
    }
    end = start
  }
  return retries === 0 ? null : { from: 0, waits, cut: true }
}

// Attempts as jobs and orders of the guard

/** The job of an attempt. */
export const jobOf = (attempt: AttemptRef): Job => {
  const { exit, journal, lock, log, out } = attemptFiles(attempt)
  return { id: attempt.id, files: { journal, lock, log, out, exit } }
}

/** The attempts before one, newest first. Each has ended, or was recorded as stopped. */
const earlier = (next: AttemptRef): ReadonlyArray<EarlierJob> =>
  Array.from({ length: next.attempt - 1 }, (_, back) => {
    const before: AttemptRef = { ...next, attempt: next.attempt - 1 - back, id: "" }
    const [files, archived] = [attemptFiles(before), archivedFiles(before)]
    const moves = (["exit", "review", "out", "log"] as const).map((kind) => ({ from: files[kind], to: archived[kind] }))
    return { ...jobOf(before), moves }
  })

const environmentOf = ({ isolated }: Launch, all: Variables): Variables => {
  const ours = clientVariables("codex", all)
  return isolated ? { ...withoutRepository(ours), ...ownVariables } : ours
}

// Commands that see no variables lack the mark of their attempt too, by which they are found when it ends.
const marked = (argv: ReadonlyArray<string>, id: string): ReadonlyArray<string> =>
  coreVariables.every((one) => argv.includes(one)) ? [...argv, ...givenVariable(mark, id)] : argv

/** The order to run codex for an attempt, with this environment; `tied`: it ends with this process. */
export const orderOf = (attempt: AttemptRef, launch: Launch, environment: Variables, tied: boolean): Order => ({
  ...jobOf(attempt),
  label: `starting ${attempt.level}-${attempt.slot}, attempt ${attempt.attempt}`,
  command: [launch.binary, ...marked(launch.argv, attempt.id)],
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

// Notes about reviewers: started, resumed from an earlier call, ended, stopped. A living one is noted once.

/** What names an attempt in a note. */
const about = ({ attempt, batch, level, run, slot }: AttemptRef): Fields => ({
  run: run.runId,
  batch: `${level}/${batch}`,
  slot,
  attempt
})

/** The notes of the reviewers that one process sees. */
interface ReviewerNotes {
  readonly started: (attempts: ReadonlyArray<AttemptRef>) => Effect.Effect<void>
  readonly seen: (
    attempts: ReadonlyArray<AttemptRef>,
    states: ReadonlyArray<ReviewerState>
  ) => Effect.Effect<void>
  readonly stopped: (attempts: ReadonlyArray<AttemptRef>, processes: number) => Effect.Effect<void>
}

const saw = (attempt: AttemptRef, state: ReviewerState) => {
  switch (state._tag) {
    case "Alive":
      return note("took up a reviewer that an earlier call started", about(attempt))
    case "Exited": {
      const { deadline, status } = state
      return note("a reviewer exited", { ...about(attempt), status, deadline, oversize: state.oversize ?? false })
    }
    case "Lost":
      return note("a reviewer died without a record of its exit", about(attempt))
    case "Unstarted":
      return note("a reviewer never began", about(attempt))
  }
}

/** Creates the notes of one layer, because each process notes what it sees first. */
const makeReviewerNotes = (): ReviewerNotes => {
  const living = new Set<string>()
  const each = (attempts: ReadonlyArray<AttemptRef>, record: (attempt: AttemptRef) => Effect.Effect<void>) =>
    Effect.forEach(attempts, record, { discard: true })
  return {
    started: (attempts) =>
      each(attempts, (attempt) => {
        living.add(attempt.id)
        return note("started a reviewer", about(attempt))
      }),
    seen: (attempts, states) =>
      Effect.suspend(() => {
        const news = attempts.flatMap((attempt, i) => {
          const state = states[i]
          if (state === undefined || (state._tag === "Alive" && living.has(attempt.id))) return []
          if (state._tag === "Alive") living.add(attempt.id)
          else living.delete(attempt.id)
          return [saw(attempt, state)]
        })
        return Effect.all(news, { discard: true })
      }),
    stopped: (attempts, processes) =>
      each(attempts, (attempt) => note("stopped a reviewer", { ...about(attempt), processes }))
  }
}

const locate = Effect.fn("Reviewers.locate")(function*(binary: string, cwd: string) {
  const answer = findBinary(binary, cwd, yield* withCallersPath(yield* Environment))
  if ("found" in answer) return answer.found
  return yield* new CodexMissing({ binary, reason: answer.reason })
})

/**
 * Computes digests of programs. A file with the same stat is not read again: a native codex has a hundred megabytes.
 */
const makeDigest = (): Reviewers["Service"]["digest"] => {
  const known = new Map<string, string>()
  const digest = async (binary: string): Promise<string> => {
    const file = await open(binary)
    try {
      const { ctimeNs, dev, ino, mtimeNs, size } = await file.stat({ bigint: true })
      const key = [dev, ino, size, mtimeNs, ctimeNs].join(" ")
      const hash = createHash("sha256")
      if (!known.has(key)) {
        for await (const part of file.createReadStream({ autoClose: false })) hash.update(part)
        known.set(key, hash.digest("hex"))
      }
      return known.get(key) ?? ""
    } finally {
      await file.close()
    }
  }
  return Effect.fn("Reviewers.digest")((binary: string) =>
    Effect.tryPromise(() => digest(binary)).pipe(
      Effect.tapError(recovered("the program is started without a record of its digest")),
      Effect.orElseSucceed(() => null)
    )
  )
}

/** The user's settings of codex that name a directory, or null: codex trusts or distrusts a project by its path. */
const settingsNaming = (place: string, environment: Variables): string | null => {
  const settings = join(codexHomeIn(environment), "config.toml")
  return plainText(settings).includes(Buffer.from(place).toString("latin1")) ? settings : null
}

const faultOf = ({ reason, what }: GuardFault): ReviewerFault =>
  new ReviewerFault({ what: reason._tag === "NoDirectory" ? `the directory to review, ${reason.path}` : what, reason })

const headBytes = 64 * 1024

/** Whether each living reviewer's review was recorded by codex some time ago. It remembers their sessions. */
const makeAnswered = () => {
  const sessions = new Map<string, string>()
  const recordsReview = makeRecordsReview()
  const sessionOf = (attempt: AttemptRef): string | null => {
    const known = sessions.get(attempt.id)
    if (known !== undefined) return known
    const head = openOnDisk(attemptFiles(attempt).log, (file) => file === null ? "" : textOf(file.slice(0, headBytes)))
    const id = sessionId(head)
    if (id !== null) sessions.set(attempt.id, id)
    return id
  }
  return (attempt: AttemptRef, state: ReviewerState, home: string, now: number): ReviewerState => {
    // Until an attempt writes, the transcript may be the previous attempt's.
    if (state._tag !== "Alive" || state.bytes === 0) return state
    const id = sessionOf(attempt)
    return id !== null && recordsReview(home, id, now, answerGrace) ? { ...state, answered: true } : state
  }
}

/** The live reviewers of this machine. */
export const layer: Layer.Layer<Reviewers> = Layer.sync(Reviewers, () => {
  const guard = makeGuard({ file: "log", stalledTail })
  const notes = makeReviewerNotes()
  const answered = makeAnswered()
  return Reviewers.of({
    locate,
    digest: makeDigest(),
    launch: Effect.fn("Reviewers.launch")(function*(attempts, launch, options) {
      const environment = yield* Environment
      const named = launch.isolated ? settingsNaming(launch.cwd, environment) : null
      if (named !== null) {
        return yield* new ReviewerFault({ what: named, reason: { _tag: "CopyNamed", place: launch.cwd } })
      }
      yield* noteDropped(environment, environmentOf(launch, environment))
      const orders = attempts.map((attempt) => orderOf(attempt, launch, environment, options?.tied ?? false))
      yield* Effect.mapError(guard.launch(orders, "starting reviewers"), faultOf)
      yield* notes.started(attempts)
    }),
    look: Effect.fn("Reviewers.look")((attempts, options) =>
      guard.look(attempts.map(jobOf), "looking at reviewers", { acting: options?.acting ?? true }).pipe(
        Effect.tap((states) => notes.seen(attempts, states)),
        Effect.mapError(faultOf),
        Effect.flatMap((states) =>
          Effect.zipWith(
            Clock.currentTimeMillis,
            codexHome,
            (now, home) =>
              attempts.flatMap((attempt, i) => {
                const state = states[i]
                return state === undefined ? [] : [answered(attempt, state, home, now)]
              })
          )
        )
      )
    ),
    listen: Effect.fn("Reviewers.listen")((batch) =>
      Effect.map(
        listen(wakeDirectory(batch)),
        (ear) => (attempts, limit) => ear(attempts.map((attempt) => jobOf(attempt).files.exit), limit)
      )
    ),
    stop: Effect.fn("Reviewers.stop")((attempts) =>
      guard.stop(attempts.map(jobOf), `stopping ${counted(attempts.length, "reviewer")}`).pipe(
        Effect.tap((processes) => notes.stopped(attempts, processes)),
        Effect.mapError(faultOf)
      )
    )
  })
})
