// Head: head.json, the anchor that shows when a log was rolled back or rewritten.
// It is written only after its line is durable, so it is never ahead of a sound log.
import { suffixBytes } from "../../core/log/Frame.ts"
import type { Head } from "../../core/log/Head.ts"
import { hasCode } from "../process/SystemError.ts"
import { type Files, readRange, withFile, writeWhole } from "./Files.ts"

/** A committed line and the byte after it. */
export interface Anchor extends Head {
  readonly offset: number
}

/** Before any line. */
export const start: Anchor = { seq: 0, hash: "", offset: 0 }

const isIntegerAbove = (least: number, value: unknown): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value > least

const isAnchor = (value: unknown): value is Anchor =>
  typeof value === "object" && value !== null && "seq" in value && "hash" in value && "offset" in value &&
  isIntegerAbove(0, value.seq) && isIntegerAbove(suffixBytes, value.offset) && typeof value.hash === "string" &&
  /^[0-9a-f]{64}$/.test(value.hash)

/**
 * The stored anchor, or null. It is an aid without a checksum of its own: one that does not parse (its rename reached
 * the disk before its bytes did) counts as missing, and the next append writes it anew.
 */
export const readAnchor = (files: Files, path: string): Anchor | null => {
  try {
    return withFile(files, path, "read", (fd) => {
      const text = new TextDecoder().decode(readRange(files, fd, 0, Math.min(files.size(fd), 4096)))
      const value: unknown = JSON.parse(text)
      return isAnchor(value) ? value : null
    })
  } catch (error) {
    if (hasCode(error, "ENOENT") || error instanceof SyntaxError) return null
    throw error
  }
}

/** Writes the next anchor beside the current one, so that a full disk is met before the line is written. */
export const prepareAnchor = (files: Files, path: string, { hash, offset, seq }: Anchor): void =>
  withFile(
    files,
    path,
    "replace",
    (fd) => writeWhole(files, fd, path, new TextEncoder().encode(`${JSON.stringify({ seq, offset, hash })}\n`))
  )
