// Following.live: follows an attempt from its first byte to its end.
import { existsSync, fstatSync } from "node:fs"
import { Clock, Effect, Option, Stream } from "effect"
import type { AgentRef } from "../log/Refs.ts"
import { sliceOf, textOf, withFile } from "../platform/Files.ts"
import { note } from "../platform/Note.ts"
import { hasCode } from "../platform/SystemError.ts"
import { type Guard, listen } from "../platform/guard/Guard.ts"
import { type GuardFault, type JobFiles, type Sighting, type EarlyEnd, trySync } from "../platform/guard/Job.ts"
import { notedEnd, noteStrike, readJournal } from "../platform/guard/Journal.ts"
import { agentWakeDirectory } from "../run/Layout.live.ts"
import { digestOf, digestOfFile } from "../run/SmallFile.live.ts"
import type { AgentEnded, AgentUpdate } from "./Agent.ts"
import type { AgentEnding } from "./AgentEnding.ts"
import { doing, jobOf } from "./Program.live.ts"
import type { AgentLimits } from "./Task.ts"
import type { AgentEvent } from "./stream/AgentEvent.ts"
import {
  type AgentStream,
  endingOf,
  evolveOpen,
  evolveStream,
  type OpenCommands,
  readEvidence,
  emptyStream
} from "./stream/AgentStream.ts"
import type { EventReader } from "./stream/Lines.ts"

// How an attempt ended, from its stream, its exit status and the strike in its journal.

/** After one of these sightings nothing more comes. */
export type EndSighting = Extract<Sighting, { readonly _tag: "Exited" | "Lost" }>

const logBytes = 64 * 1024

/** The end of standard error, without the standard output that may follow it in the same file. */
const errorsOf = ({ journal, log }: JobFiles): string => {
  if (!existsSync(log)) return ""
  return withFile(log, (fd) => {
    const end = notedEnd(journal)?.logBytes ?? fstatSync(fd).size
    return textOf(sliceOf(fd, Math.max(0, end - logBytes), Math.min(end, logBytes)))
  })
}

/** The limit on silence for an agent that has said this much. */
const silenceLimit = ({ read }: AgentStream, { first, idle }: AgentLimits): number => read === "nothing" ? first : idle

const seconds = (millis: number): string => `${Math.round(millis / 100) / 10} s`

const struckBy = (struck: EarlyEnd, stream: AgentStream, limits: AgentLimits, status: number): AgentEnding | null => {
  switch (struck) {
    case "deadline":
      return { _tag: "Deadline", after: limits.timeout, message: `not done after ${seconds(limits.timeout)}` }
    case "idle": {
      const after = silenceLimit(stream, limits)
      return { _tag: "Idle", after, message: `said nothing for ${seconds(after)}` }
    }
    case "transcript": {
      const message = `printed more than ${limits.maxTranscript} bytes`
      return { _tag: "Crashed", message, exit: status }
    }
    case "asked":
      return { _tag: "Interrupted", message: "it was stopped on request" }
    case "stopped":
      return null
  }
}

const hasEnded = ({ turn }: AgentStream): boolean => turn === "completed" || turn === "failed"

const endedBy = (files: JobFiles, over: EndSighting, stream: AgentStream, limits: AgentLimits): AgentEnding => {
  const journal = readJournal(files.journal)
  const struck = journal._tag === "Started" ? journal.struck : []
  // A turn that has ended is complete. Whatever ended the process afterwards changes nothing.
  if (hasEnded(stream) && (over._tag === "Lost" || over.status > 128 || struck.length > 0)) return endingOf(stream, 0)
  if (over._tag === "Lost") {
    return { _tag: "Crashed", message: "its processes are gone, and how they ended is unknown", exit: null }
  }
  const { status } = over
  // Some versions of codex exit with 0 when they are killed.
  const early = status !== 0 || stream.turn === "open" ? struck : []
  for (const one of early) {
    const ending = struckBy(one, stream, limits, status)
    if (ending !== null) return ending
  }
  return endingOf(stream, status, errorsOf(files))
}

/** How an attempt ended, the same for everyone who asks. Throws the system's error. */
export const endOf = (files: JobFiles, over: EndSighting, stream: AgentStream, limits: AgentLimits): AgentEnded => ({
  ending: endedBy(files, over, stream, limits),
  message: stream.message,
  threadId: stream.threadId,
  usage: stream.usage,
  turn: stream.turn,
  contextWindow: stream.contextWindow,
  transcript: existsSync(files.log) ? withFile(files.log, digestOfFile) : digestOf(Buffer.alloc(0)),
  ...readEvidence(stream)
})

// Follows an attempt of an agent from the first byte that it printed to its end, whoever started it.
// Memory holds one chunk and one line. A living agent is looked at once a second, without a helper process.

const chunkBytes = 256 * 1024
// Milliseconds between two looks at a living agent, and from the end of its turn to the end of its process.
const lookEvery = 1000
const grace = 10_000

/** The attempt to follow, and how: every byte is passed to `hearing` once. */
interface FollowOptions {
  readonly attempt: AgentRef
  readonly limits: AgentLimits
  readonly hearing: EventReader
  /** Whether silence means something. */
  readonly talks: boolean
}

interface Place {
  readonly offset: number
  readonly stream: AgentStream
  readonly open: OpenCommands
  readonly over: EndSighting | null
  /** How many looks have seen it alive since its turn ended. */
  readonly lingers: number
}

type Page = readonly [ReadonlyArray<AgentUpdate>, Option.Option<Place>]

const bytesAt = (path: string, offset: number): Buffer => {
  try {
    return withFile(path, (fd) => sliceOf(fd, offset, chunkBytes))
  } catch (error) {
    if (hasCode(error, "ENOENT")) return Buffer.alloc(0)
    throw error
  }
}

/** Whether an agent has nothing left to do: its turn has ended, and no task of its own goes on. */
const isDone = ({ open, stream }: Pick<Place, "open" | "stream">): boolean => hasEnded(stream) && open.size === 0

const heard = (place: Place, events: ReadonlyArray<AgentEvent>): Place => {
  const now = { stream: events.reduce(evolveStream, place.stream), open: events.reduce(evolveOpen, place.open) }
  return { ...place, ...now, lingers: isDone(now) ? place.lingers : 0 }
}

const updates = (events: ReadonlyArray<AgentEvent>, at: number): ReadonlyArray<AgentUpdate> =>
  events.map((event) => ({ _tag: "Heard", event, at }))

const about = ({ agent, attempt, run }: AgentRef) => ({ run: run.runId, agent, attempt })

/** Follows an attempt. Interrupting this leaves the agent running. */
export const followAttempt = (guard: Guard, what: FollowOptions): Stream.Stream<AgentUpdate, GuardFault> => {
  const { attempt, hearing, limits, talks } = what
  const job = jobOf(attempt)
  const following = doing("following", attempt)
  const attempted = <A>(step: () => A) => trySync(following, step)

  const isIdle = ({ open, stream }: Place, sighting: Extract<Sighting, { readonly _tag: "Alive" }>): boolean =>
    talks && open.size === 0 && sighting.silentFor > silenceLimit(stream, limits)

  const strike = Effect.fnUntraced(function*(why: string) {
    yield* note(`an agent ${why} and is stopped`, about(attempt))
    yield* attempted(() => noteStrike(job.files.journal, "idle"))
    yield* guard.stop([job], doing("stopping", attempt))
  }, Effect.uninterruptible)

  const ended = Effect.fnUntraced(function*(place: Place, over: EndSighting) {
    const events = hearing.end()
    const at = yield* Clock.currentTimeMillis
    const end = yield* attempted(() => endOf(job.files, over, heard(place, events).stream, limits))
    yield* note("an agent ended", { ...about(attempt), ending: end.ending._tag })
    return [[...updates(events, at), { _tag: "Ended", ended: end }], Option.none()] satisfies Page
  })

  return Stream.unwrap(Effect.gen(function*() {
    const ear = yield* listen(agentWakeDirectory(attempt))
    const next = Effect.fnUntraced(function*(place: Place) {
      const bytes = yield* attempted(() => bytesAt(job.files.out, place.offset))
      if (bytes.length > 0) {
        const events = hearing.push(bytes)
        const after = { ...heard(place, events), offset: place.offset + bytes.length }
        return [updates(events, yield* Clock.currentTimeMillis), Option.some(after)] satisfies Page
      }
      if (place.over !== null) return yield* ended(place, place.over)
      const [sighting] = yield* guard.look([job], following, { acting: true })
      switch (sighting?._tag) {
        case "Alive":
          if (place.lingers * lookEvery >= grace) yield* strike("has answered")
          else if (isIdle(place, sighting)) yield* strike("is idle")
          else yield* ear([job.files.exit], lookEvery)
          return [[], Option.some({ ...place, lingers: isDone(place) ? place.lingers + 1 : 0 })] satisfies Page
        case "Exited":
        case "Lost":
          return [[], Option.some({ ...place, over: sighting })] satisfies Page
        default:
          return [[{ _tag: "NeverBegan" }], Option.none()] satisfies Page
      }
    })
    const beginning: Place = { offset: 0, stream: emptyStream, open: new Set(), over: null, lingers: 0 }
    return Stream.paginate(beginning, next)
  }))
}
