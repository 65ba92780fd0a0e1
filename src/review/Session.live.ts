// Session.live: the review and tokens in codex's session files.
import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { recordedComplaint } from "../agent/CodexFailure.ts"
import { eachLine, openOnDisk, type OpenFile, sliceOf, withFile } from "../platform/Files.ts"
import type { Digest } from "../run/Event.ts"
import { digestOf, replaceFile } from "../run/SmallFile.live.ts"
import type { Complaint } from "../run/FailureKind.ts"
import { type Usage, usageFrom } from "../run/Usage.ts"
import { type Fields, isFields, parseJson, textOf } from "../text/Json.ts"
import type { Sources } from "./verdict/Judge.ts"
import { type CommandCounts, ranFrom, sessionReader } from "./verdict/Reading.ts"

// A review as codex recorded it in its own session files: its result, its commands and its tokens.

/*
 * A review has two files: its own, whose id is in the banner and which holds the result, and that of its reviewer,
 * which holds the commands and the tokens. The reviewer's names the review as its parent, or, before codex 0.138,
 * shares a turn with it. The result is an item, `ExitedReviewMode`, or an event, `exited_review_mode`: versions up to
 * 0.157 write either, also within one batch.
 *
 * Session files are optional: a missing or unknown file counts as none. Every search is bounded.
 */

const maxBytes = 256 * 1024 * 1024
// A review's session file lies under the day it began; a deadline is hours, not weeks.
const maxDays = 62
// A reviewer's session begins a moment after its review's, among other reviews that began then.
const maxLooked = 64
const headBytes = 64 * 1024
const nameOfSession = /^rollout-.*-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.jsonl$/
// Only lines with these words matter. Parsing all others would take most of the time.
const telling = /_call|CommandExecution|task_(?:started|complete)|xited_?[rR]eview_?[mM]ode|session_meta|_token_usage/

const names = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

const newestFirst = (directory: string): ReadonlyArray<string> =>
  names(directory).filter((name) => /^\d+$/.test(name)).sort().reverse().map((name) => join(directory, name))

/** The session file of an id (a UUID), newest day first, or null. */
export const findSession = (home: string, id: string): string | null => {
  let days = 0
  for (const year of newestFirst(join(home, "sessions"))) {
    for (const month of newestFirst(year)) {
      for (const day of newestFirst(month)) {
        const name = names(day).find((file) => file.startsWith("rollout-") && file.endsWith(`-${id}.jsonl`))
        if (name !== undefined) return join(day, name)
        days += 1
        if (days >= maxDays) return null
      }
    }
  }
  return null
}

const payloadOf = (line: string): Fields | null => {
  const value = parseJson(line)
  return isFields(value) && isFields(value["payload"]) ? value["payload"] : null
}

/** Passes the payloads of lines that matter, in order. False if the file is too large to be read whole. */
const eachPayload = (path: string, take: (payload: Fields) => void): boolean =>
  openOnDisk(path, (file) =>
    file !== null && eachLine(file, maxBytes, (line) => {
      const payload = telling.test(line) ? payloadOf(line) : null
      if (payload !== null) take(payload)
    }))

/** The review of a payload that ends review mode, null if codex put null there; undefined for every other payload. */
const reviewOf = ({ item, review_output, type }: Fields): unknown => {
  if (type === "exited_review_mode") return review_output ?? null
  return isFields(item) && item["type"] === "ExitedReviewMode" ? item["review_output"] ?? null : undefined
}

// The UUID before `.jsonl`. It is asked first, because a day can have thousands of files.
const idOf = (file: string): string => file.slice(-42, -6)

// A review may begin before midnight, and its reviewer after it.
const daysFrom = (day: string): ReadonlyArray<string> => {
  const [year = 0, month = 0, date = 0] = day.split("/").slice(-3).map(Number)
  const next = new Date(Date.UTC(year, month - 1, date + 1))
  if (Number.isNaN(next.valueOf())) return [day]
  return [day, join(day, "../../..", next.toISOString().slice(0, 10).replaceAll("-", "/"))]
}

// Session ids are UUIDs of version 7: they sort by time.
const reviewerOf = (session: string, id: string, turns: ReadonlyArray<string>): string | null => {
  const day = dirname(session)
  const later = daysFrom(day).flatMap((one) => names(one).map((file) => join(one, file)))
    .filter((file) => idOf(file) > id && nameOfSession.test(basename(file)))
  const isChild = (path: string): boolean => {
    const head = withFile(path, (fd) => sliceOf(fd, 0, headBytes)).toString("utf8")
    const first = payloadOf(head.slice(0, Math.max(0, head.indexOf("\n"))))
    if (first === null || first["parent_thread_id"] !== undefined) return first?.["parent_thread_id"] === id
    const begun = head.split("\n").filter((line) => line.includes("task_started"))
    return begun.some((line) => turns.some((turn) => line.includes(turn)))
  }
  return later.sort((a, b) => idOf(a) < idOf(b) ? -1 : 1).slice(0, maxLooked).find(isChild) ?? null
}

/** The tokens of the whole thread, from a payload that follows each request. */
const totalIn = ({ info, thread_token_usage }: Fields): Usage | null =>
  usageFrom(thread_token_usage) ?? usageFrom(isFields(info) ? info["total_token_usage"] : undefined)

export interface SessionReview {
  /** `review_output` of the last end of review mode, null if codex put null there; undefined if missing. */
  readonly output: unknown
  /** The commands of its reviewer; null if the reviewer's file was not found. */
  readonly ran: CommandCounts | null
  /** The tokens of its reviewer, if codex counted them. */
  readonly usage: Usage | null
  /** The error that ended its turn, or null. */
  readonly error: Complaint | null
}

/** Reads the two session files of a review, given its own and its id. Throws the system's error. */
export const readSession = (path: string, id: string): SessionReview => {
  const reader = sessionReader()
  const turns: Array<string> = []
  let output: unknown = undefined
  let usage: Usage | null = null
  let error: Complaint | null = null
  const own = eachPayload(path, (payload) => {
    const review = reviewOf(payload)
    if (review !== undefined) output = review
    if (payload["type"] === "task_started") turns.push(textOf(payload["turn_id"]))
    if (payload["type"] === "task_complete") error = recordedComplaint(payload["error"])
    reader.take(payload, false)
  })
  const reviewer = reviewerOf(path, id, turns.filter((turn) => turn !== ""))
  if (reviewer === null) return { output, ran: null, usage, error }
  const whole = eachPayload(reviewer, (payload) => {
    usage = totalIn(payload) ?? usage
    reader.take(payload, true)
  })
  return { output, ran: reader.ran(own && whole), usage, error }
}

const holdsReview = (path: string): boolean => {
  let output: unknown = undefined
  eachPayload(path, (payload) => {
    output = reviewOf(payload) ?? output
  })
  return output !== undefined && output !== null
}

/**
 * Whether the session of an id has held its review for at least so many milliseconds before `now`. Reads a file again
 * only once it has changed. Never throws.
 */
export const makeRecordsReview = () => {
  const known = new Map<string, { readonly path: string; readonly facts: string; readonly holds: boolean }>()
  return (home: string, id: string, now: number, millis: number): boolean => {
    try {
      const last = known.get(id)
      const path = last !== undefined && existsSync(last.path) ? last.path : findSession(home, id)
      if (path === null) return false
      const { ino, mtimeMs, size } = statSync(path)
      if (now - mtimeMs < millis) return false
      const facts = [ino, mtimeMs, size].join(" ")
      const holds = last?.path === path && last.facts === facts ? last.holds : holdsReview(path)
      known.set(id, { path, facts, holds })
      return holds
    } catch {
      // Moved or unreadable meanwhile: the limits apply to the reviewer as to any other.
      return false
    }
  }
}

// The copy of a session's review that a run stores, because codex may delete its session

/** Stores a review with the commands of its reviewer; repeating it changes nothing. Throws the system's error. */
export const keepReview = (path: string, output: unknown, ran: CommandCounts | null): Digest => {
  const text = `${JSON.stringify({ review_output: output, ran })}\n`
  replaceFile(path, text)
  return digestOf(Buffer.from(text))
}

/** A stored copy: its review, the reviewer's commands, and its digest, null without a copy. */
interface KeptReview {
  readonly session: Sources["session"]
  readonly ran: CommandCounts | null
  readonly digest: Digest | null
}

/** No copy. */
export const notKept: KeptReview = { session: { _tag: "Absent" }, ran: null, digest: null }

/**
 * Reads a copy. A file without a review gives none; its digest shows that it is not the stored one. Version 0.1.0
 * stored only the review.
 */
export const readKept = (file: OpenFile | null): KeptReview => {
  if (file === null) return notKept
  const bytes = file.slice(0, file.size)
  const digest = digestOf(bytes)
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"))
    return isFields(value) && Object.hasOwn(value, "review_output")
      ? { session: { _tag: "Found", output: value["review_output"] }, ran: ranFrom(value["ran"]), digest }
      : { session: { _tag: "Found", output: value }, ran: null, digest }
  } catch {
    return { ...notKept, digest }
  }
}
