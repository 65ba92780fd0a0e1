// AgentEnd: how an attempt ended, by its stream, its status, and what its journal says struck it.
import { existsSync, fstatSync } from "node:fs"
import type { AgentEnding } from "../../core/agent/AgentEnding.ts"
import { type AgentStream, endingOf, shownBy } from "../../core/agent/FoldStream.ts"
import type { AgentLimits } from "../../core/agent/Task.ts"
import type { AgentEnded } from "../../services/Agent.ts"
import { notedEnd } from "../process/Ending.ts"
import type { JobFiles, Sighting, Struck } from "../process/Job.ts"
import { readJournal } from "../process/Journal.ts"
import { sliceOf, textOf, withFile } from "../process/Slices.ts"
import { digestOf, digestOfFile } from "../store/Digests.ts"

/** The sightings after which nothing more comes. */
export type Over = Extract<Sighting, { readonly _tag: "Exited" | "Lost" }>

const logBytes = 64 * 1024

/** The end of standard error. Standard output may stand behind it, which is no part of it. */
const errorsOf = ({ journal, log }: JobFiles): string => {
  if (!existsSync(log)) return ""
  return withFile(log, (fd) => {
    const end = notedEnd(journal)?.logBytes ?? fstatSync(fd).size
    return textOf(sliceOf(fd, Math.max(0, end - logBytes), Math.min(end, logBytes)))
  })
}

/** The limit on silence that holds for an agent that has said this much. */
export const silenceLimit = ({ read }: AgentStream, { first, idle }: AgentLimits): number =>
  read === "nothing" ? first : idle

const seconds = (millis: number): string => `${Math.round(millis / 100) / 10} s`

const struckBy = (struck: Struck, stream: AgentStream, limits: AgentLimits, status: number): AgentEnding | null => {
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
      return { _tag: "Interrupted", message: "somebody asked for its end" }
    case "stopped":
      return null
  }
}

const endedBy = (files: JobFiles, over: Over, stream: AgentStream, limits: AgentLimits): AgentEnding => {
  if (over._tag === "Lost") {
    // A turn that was completed has said all it had to say, so only its exit status is unknown.
    if (stream.turn === "completed") return endingOf(stream, 0)
    return { _tag: "Crashed", message: "its processes are gone, and nobody knows how they ended", exit: null }
  }
  const { status } = over
  const journal = readJournal(files.journal)
  if (status !== 0 && journal._tag === "Started") {
    for (const struck of journal.struck) {
      const ending = struckBy(struck, stream, limits, status)
      if (ending !== null) return ending
    }
  }
  return endingOf(stream, status, errorsOf(files))
}

/** How an attempt ended, the same for everyone who asks. Throws what the system throws. */
export const endOf = (files: JobFiles, over: Over, stream: AgentStream, limits: AgentLimits): AgentEnded => ({
  ending: endedBy(files, over, stream, limits),
  message: stream.message,
  threadId: stream.threadId,
  usage: stream.usage,
  turn: stream.turn,
  contextWindow: stream.contextWindow,
  transcript: existsSync(files.log) ? withFile(files.log, digestOfFile) : digestOf(Buffer.alloc(0)),
  ...shownBy(stream)
})
