// Following: follows an attempt of an agent from the first byte that it printed to its end, whoever started it.
// Memory holds one chunk and one line. While the agent lives, it is looked at once a second, without a helper process.
import { Clock, Effect, Option, Stream } from "effect"
import type { AgentEvent } from "../../core/agent/AgentEvent.ts"
import { type AgentStream, evolveStream, silent } from "../../core/agent/FoldStream.ts"
import type { Hearing } from "../../core/agent/Hearing.ts"
import { evolveOpen, type OpenCommands } from "../../core/agent/OpenCommands.ts"
import type { AgentLimits } from "../../core/agent/Task.ts"
import type { AgentRef } from "../../core/run/Refs.ts"
import type { AgentTold } from "../../services/Agent.ts"
import { note } from "../../services/Note.ts"
import { type GuardFault, trySync } from "../process/GuardFault.ts"
import type { Guard } from "../process/Guard.ts"
import type { Sighting } from "../process/Job.ts"
import { noteStrike } from "../process/Journal.ts"
import { listen } from "../process/Listen.ts"
import { sliceOf, withFile } from "../process/Slices.ts"
import { hasCode } from "../process/SystemError.ts"
import { agentWakeDirectory } from "../store/AgentLayout.ts"
import { endOf, type Over, silenceLimit } from "./AgentEnd.ts"
import { doing, jobOf } from "./AgentJobs.ts"

const chunkBytes = 256 * 1024
// Milliseconds between two looks at a living agent.
const lookEvery = 1000

/** What is followed, and how: `hearing` is fed with every byte once. */
export interface Followed {
  readonly attempt: AgentRef
  readonly limits: AgentLimits
  readonly hearing: Hearing
  /** Whether silence means something. */
  readonly talks: boolean
}

interface Place {
  readonly offset: number
  readonly stream: AgentStream
  readonly open: OpenCommands
  readonly over: Over | null
}

type Page = readonly [ReadonlyArray<AgentTold>, Option.Option<Place>]

const bytesAt = (path: string, offset: number): Buffer => {
  try {
    return withFile(path, (fd) => sliceOf(fd, offset, chunkBytes))
  } catch (error) {
    if (hasCode(error, "ENOENT")) return Buffer.alloc(0)
    throw error
  }
}

const heard = (place: Place, events: ReadonlyArray<AgentEvent>): Place => ({
  ...place,
  stream: events.reduce(evolveStream, place.stream),
  open: events.reduce(evolveOpen, place.open)
})

const told = (events: ReadonlyArray<AgentEvent>, at: number): ReadonlyArray<AgentTold> =>
  events.map((event) => ({ _tag: "Heard", event, at }))

const about = ({ agent, attempt, run }: AgentRef) => ({ run: run.runId, agent, attempt })

/** Follows an attempt. Whoever stops following leaves the agent as it is. */
export const followed = (guard: Guard, what: Followed): Stream.Stream<AgentTold, GuardFault> => {
  const { attempt, hearing, limits, talks } = what
  const job = jobOf(attempt)
  const following = doing("following", attempt)
  const attempted = <A>(step: () => A) => trySync(following, step)

  const isIdle = ({ open, stream }: Place, sighting: Extract<Sighting, { readonly _tag: "Alive" }>): boolean =>
    talks && open.size === 0 && sighting.silentFor > silenceLimit(stream, limits)

  const strike = Effect.fnUntraced(function*() {
    yield* note("an agent is idle and is ended", about(attempt))
    yield* attempted(() => noteStrike(job.files.journal, "idle"))
    yield* guard.stop([job], doing("stopping", attempt))
  }, Effect.uninterruptible)

  const ended = Effect.fnUntraced(function*(place: Place, over: Over) {
    const events = hearing.end()
    const at = yield* Clock.currentTimeMillis
    const end = yield* attempted(() => endOf(job.files, over, heard(place, events).stream, limits))
    yield* note("an agent ended", { ...about(attempt), ending: end.ending._tag })
    return [[...told(events, at), { _tag: "Ended", ended: end }], Option.none()] satisfies Page
  })

  return Stream.unwrap(Effect.gen(function*() {
    const ear = yield* listen(agentWakeDirectory(attempt))
    const next = Effect.fnUntraced(function*(place: Place) {
      const bytes = yield* attempted(() => bytesAt(job.files.out, place.offset))
      if (bytes.length > 0) {
        const events = hearing.push(bytes)
        const after = { ...heard(place, events), offset: place.offset + bytes.length }
        return [told(events, yield* Clock.currentTimeMillis), Option.some(after)] satisfies Page
      }
      if (place.over !== null) return yield* ended(place, place.over)
      const [sighting] = yield* guard.look([job], following, { acting: true })
      switch (sighting?._tag) {
        case "Alive":
          if (isIdle(place, sighting)) yield* strike()
          else yield* ear([job.files.exit], lookEvery)
          return [[], Option.some(place)] satisfies Page
        case "Exited":
        case "Lost":
          return [[], Option.some({ ...place, over: sighting })] satisfies Page
        default:
          return [[{ _tag: "NeverBegan" }], Option.none()] satisfies Page
      }
    })
    const beginning: Place = { offset: 0, stream: silent, open: new Set(), over: null }
    return Stream.paginate(beginning, next)
  }))
}
