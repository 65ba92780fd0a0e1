// ReviewerUsage: the tokens of a review, as codex recorded them in the session of its reviewer.
// No verdict depends on them: what is not found within the bounds, or is not as expected, is not told.
import { fstatSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { usageFrom } from "../../core/agent/UsageFields.ts"
import type { Usage } from "../../core/run/Usage.ts"
import { isFields } from "../../core/text/Fields.ts"
import { sliceOf, withFile } from "../process/Slices.ts"

// A reviewer's session begins a moment after its review's. In between are those of other reviews that began then.
const maxLooked = 64
const headBytes = 64 * 1024
// Behind the last record of tokens stands no more than the end of the task, with the review in it.
const tailBytes = 1024 * 1024
const nameOfSession = /^rollout-.*-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.jsonl$/

// The UUID before `.jsonl`. It is asked first, because a day can have thousands of files.
const idOf = (file: string): string => file.slice(-42, -6)

/** The field of a JSON object at a path of names; undefined where there is none. */
const at = (value: unknown, ...names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>((inner, name) => isFields(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined, value)

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

const isChildOf = (path: string, id: string): boolean => {
  const head = withFile(path, (fd) => sliceOf(fd, 0, headBytes))
  const end = head.indexOf(10)
  return head.includes(id) && end > 0 &&
    at(parsed(head.toString("utf8", 0, end)), "payload", "parent_thread_id") === id
}

// Session ids are UUIDs of version 7: their order is that of time.
const reviewerOf = (session: string, id: string): string | null => {
  const day = dirname(session)
  const later = readdirSync(day).filter((file) => idOf(file) > id && nameOfSession.test(file))
  return later.sort((a, b) => idOf(a) < idOf(b) ? -1 : 1).slice(0, maxLooked).map((file) => join(day, file))
    .find((path) => isChildOf(path, id)) ?? null
}

/** The tokens of the whole thread, as a line of its session tells them after each request. */
const totalIn = (line: string): Usage | null => {
  if (!line.includes("_token_usage")) return null
  const payload = at(parsed(line), "payload")
  return usageFrom(at(payload, "thread_token_usage")) ?? usageFrom(at(payload, "info", "total_token_usage"))
}

const lastTotal = (path: string): Usage | null => {
  const tail = withFile(path, (fd) => sliceOf(fd, Math.max(0, fstatSync(fd).size - tailBytes), tailBytes))
  for (const line of tail.toString("utf8").split("\n").reverse()) {
    const usage = totalIn(line)
    if (usage !== null) return usage
  }
  return null
}

/** The tokens of the review whose own session file is given, with its id; null where codex recorded none. */
export const reviewerUsage = (session: string, id: string): Usage | null => {
  try {
    const reviewer = reviewerOf(session, id)
    return reviewer === null ? null : lastTotal(reviewer)
  } catch {
    // Moved or unreadable meanwhile: then nothing is told.
    return null
  }
}
