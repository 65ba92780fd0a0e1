// Line: one committed line of the log, `{"v","seq","at","by","prev","events","hash"}`, written and read back.
// The one rule: the hash is taken from the raw bytes, never from parsed fields; stored bytes are never rewritten.
import { Result, Schema } from "effect"
import { type Commit, Event, type Head } from "../run/Event.ts"
import { guard } from "./Guard.ts"
import { type Damage, looksLike } from "./LineDamage.ts"
import type { LineProblem, LineRefusal } from "./LineProblem.ts"

/** The version of the envelope. A greater one is refused; the frame (newline, suffix, sha256) is the same in all. */
const lineVersion = 1

/** The most bytes of a line, newline included. What is larger lives in a file whose digest the line carries. */
export const maxLineBytes = 64 * 1024

/** What follows the hashed bytes of a line. */
export const suffix = (hash: string): string => `,"hash":"${hash}"}`

/** The length of a suffix. */
export const suffixBytes = suffix("").length + 64

/** The lower-case hexadecimal sha256 of bytes, or of a text's UTF-8 bytes. */
export type Sha256 = (data: Uint8Array | string) => string

/** Who wrote a line: information only, nothing is decided by it. */
export interface Author {
  readonly version: string
  readonly pid: number
  readonly host?: string
}

/** A verified line whose events are still as parsed; `replay` may show those this version does not know. */
export interface Envelope {
  readonly seq: number
  readonly at: string
  readonly by: unknown
  readonly prev: string
  readonly hash: string
  readonly events: ReadonlyArray<unknown>
}

/** A line with its events. Kept in memory by the thousand, so it carries no more than is asked of it. */
export interface Line extends Commit {
  readonly hash: string
}

/** The position before any line. */
export const beginning: Head = { seq: 0, hash: "" }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The `prev` of line 1: bound to the run's id and to a random nonce, so lines cannot be spliced between runs. */
const genesis = (events: ReadonlyArray<unknown>, sha256: Sha256): string | null => {
  for (const event of events) {
    if (isRecord(event) && event["_tag"] === "RunCreated") return sha256(`${event["runId"]}\n${event["nonce"]}`)
  }
  return null
}

const encodeEvents = Schema.encodeUnknownResult(Schema.Array(Event))

/** A line ready to be appended. */
export interface EncodedLine {
  readonly bytes: Uint8Array
  readonly head: Head
}

/**
 * The line that follows `after`, newline included. Fails with the reason when an event is not one of the schema,
 * when line 1 does not create its run, or when the line would be longer than 64 KiB.
 */
export const encodeLine = (
  line: {
    readonly after: Head
    readonly at: string
    readonly by: Author
    readonly events: ReadonlyArray<Event>
  },
  sha256: Sha256
): Result.Result<EncodedLine, LineRefusal> => {
  const encoded = encodeEvents(line.events)
  if (Result.isFailure(encoded)) return Result.fail({ _tag: "NotOfSchema", problem: encoded.failure.message })
  const seq = line.after.seq + 1
  const prev = seq === 1 ? genesis(encoded.success, sha256) : line.after.hash
  if (prev === null) return Result.fail({ _tag: "NotGenesis" })
  const start = JSON.stringify({ v: lineVersion, seq, at: line.at, by: line.by, prev, events: encoded.success })
  const body = start.slice(0, -1)
  const hash = sha256(body)
  const bytes = new TextEncoder().encode(`${body}${suffix(hash)}\n`)
  return bytes.length > maxLineBytes
    ? Result.fail({ _tag: "LineTooLong", bytes: bytes.length, most: maxLineBytes })
    : Result.succeed({ bytes, head: { seq, hash } })
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const anySuffix = /,"hash":"[0-9a-f]{64}"\}$/

const decodeText = (bytes: Uint8Array): string | null => {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const damaged = (kind: Damage, torn = false): Result.Result<never, LineProblem> =>
  Result.fail({ _tag: "Damaged", kind, torn })

/** A line whose bytes do not carry their own hash: the most telling name for what is wrong with it. */
const unhashed = (bytes: Uint8Array, text: string | null): Result.Result<never, LineProblem> => {
  const kind = looksLike(bytes)
  if (kind !== null) return damaged(kind, kind === "NUL")
  if (text !== null && !anySuffix.test(text)) {
    return damaged(parseJson(text) === undefined ? "not JSON" : "no hash")
  }
  return damaged("bad hash")
}

/**
 * Verifies the raw bytes of one line, without its newline, as the one that follows `after`. The next line follows
 * `{ seq, hash }` of the result. `kind` of a problem names what is wrong; the caller knows the place.
 */
export const verifyLine = (bytes: Uint8Array, after: Head, sha256: Sha256): Result.Result<Envelope, LineProblem> => {
  const text = decodeText(bytes)
  const hash = sha256(bytes.subarray(0, Math.max(0, bytes.length - suffixBytes)))
  if (text === null || !text.endsWith(suffix(hash))) return unhashed(bytes, text)
  // From here on some program wrote these bytes on purpose; it may still be a foreign or a newer one.
  const json = parseJson(text)
  if (!isRecord(json)) return damaged(looksLike(bytes) ?? "not JSON")
  const { at, by, events, prev, seq, v } = json
  if (typeof v === "number" && v > lineVersion) {
    return Result.fail({ _tag: "TooNew", newer: { _tag: "FormatVersion", version: v } })
  }
  if (
    v !== lineVersion || typeof seq !== "number" || !Number.isSafeInteger(seq) || typeof at !== "string" ||
    typeof prev !== "string" || !Array.isArray(events) || json["hash"] !== hash
  ) {
    return damaged("not a line of this log")
  }
  if (bytes.length >= maxLineBytes) return damaged("too long")
  if (seq <= after.seq) return damaged("duplicate")
  if (seq > after.seq + 1) return damaged("gap")
  const expected = seq === 1 ? genesis(events, sha256) : after.hash
  if (expected === null) return damaged("no run created")
  if (prev !== expected) return damaged("broken chain")
  return Result.succeed({ seq, at, by, prev, hash, events })
}

const decodeEvent = Schema.decodeUnknownResult(Event)
const isEvent = guard(Event)

/** An event of a verified line, or null for one that this version does not know. */
export const eventFrom = (raw: unknown): Event | null =>
  isEvent(raw) ? raw : Result.getOrElse(decodeEvent(raw), () => null)

/** Whether an event of a newer version may be passed over by one that does not know it. */
export const isIgnorable = (raw: unknown): boolean => isRecord(raw) && raw["ignorable"] === true

/** The name of an event as a line holds it, known to this version or not. */
export const eventName = (raw: unknown): string => isRecord(raw) ? String(raw["_tag"]) : "without a name"

/**
 * Decodes the events of a verified line. Events of a newer version that are marked `ignorable` are left out; any other
 * event that this version cannot read was written by a newer one, since the line carries its own hash.
 */
export const decodeLine = ({ at, events, hash, seq }: Envelope): Result.Result<Line, LineProblem> => {
  const known: Array<Event> = []
  for (const raw of events) {
    const event = eventFrom(raw)
    if (event !== null) known.push(event)
    else if (!isIgnorable(raw)) {
      return Result.fail({ _tag: "TooNew", newer: { _tag: "UnknownEvent", line: seq, event: eventName(raw) } })
    }
  }
  return Result.succeed({ seq, at, hash, events: known })
}
