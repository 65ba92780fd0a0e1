// SessionFile: the review as codex recorded it in its own session file.
// It is optional: where no session is found or understood, there is none. Every search is bounded.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { sliceOf, withFile } from "../process/Slices.ts"

const chunkBytes = 256 * 1024
const maxBytes = 256 * 1024 * 1024
const maxLineBytes = 16 * 1024 * 1024
// A review's session file lies under the day it began; a deadline is hours, not weeks.
const maxDays = 62
const marker = Buffer.from(`"ExitedReviewMode"`)

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

const property = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined

/** The review of a line that ends review mode; undefined for every other line. */
const reviewOf = (line: Buffer): unknown => {
  if (!line.includes(marker)) return undefined
  try {
    const item = property(property(JSON.parse(line.toString("utf8")), "payload"), "item")
    return property(item, "type") === "ExitedReviewMode" ? property(item, "review_output") ?? null : undefined
  } catch {
    return undefined
  }
}

/**
 * `review_output` of the session's last ExitedReviewMode, null where codex put null there; undefined when the file
 * holds no such record, as with a codex that writes its sessions otherwise. Reads line by line.
 */
export const reviewOutput = (path: string): unknown =>
  withFile(path, (fd) => {
    let found: unknown = undefined
    let pending: ReadonlyArray<Buffer> = []
    let length = 0
    const take = (end: Buffer): void => {
      const review = length + end.length > maxLineBytes ? undefined : reviewOf(Buffer.concat([...pending, end]))
      if (review !== undefined) found = review
      pending = []
      length = 0
    }
    for (let offset = 0; offset < maxBytes; offset += chunkBytes) {
      const chunk = sliceOf(fd, offset, chunkBytes)
      let start = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        take(chunk.subarray(start, end))
        start = end + 1
      }
      const rest = chunk.subarray(start)
      length += rest.length
      if (length <= maxLineBytes) pending = [...pending, rest]
      if (chunk.length < chunkBytes) break
    }
    take(Buffer.alloc(0))
    return found
  })
