// Frame: the bytes of one line of a log, and why a reader can trust them.
//
// A log is one append-only file; a run has one log of each kind (StreamKind), such as its reviews and its driver. Each
// command appends one line, which holds its events:
//
//   {"v":1,"seq":7,"at":"2026-11-26T22:24:11.000Z","by":{…},"prev":"…","events":[…],"hash":"…"}
//
// - `hash` is the sha256 of the stored bytes before `,"hash":`, never of parsed fields. So a line can be verified by a
//   program that does not know its events, and stored bytes are never rewritten.
// - `prev` is the hash of the line before. In line 1 it is the hash of fields of the genesis event, one of them random,
//   so no line can be moved from one log into another.
// - A line has at most 64 KiB. Longer texts are files of the run, whose digests the line carries.
// - A greater `v` is refused, and so is an event that this version does not know, unless it is marked as
//   ignorable. Newline, suffix and sha256 are the same in every version.
//
// Commit. A decision is made from a head: the number and hash of the last line. The writer takes the log's kernel lock
// for milliseconds, verifies the lines that it has not seen yet, and if the log still ends at that head it appends the
// line by one write, then calls `fdatasync`. Otherwise the commit is a LogConflict and the decision is made again.
// Nothing is acknowledged before the sync has returned. A failed sync is not retried, since a second one may succeed
// although bytes were lost: the log is cut back to its earlier end.
//
// Crash. A line is committed if and only if it ends in a newline. Bytes after the last newline are a torn tail, and so
// is a last line of NULs after a power loss. Readers ignore it. The next writer saves it in `torn/`, cuts it off and
// records TailRepaired in its own line. Anything else that is wrong is damage: the log is refused, no line is skipped.
//
// Anchor. A hash chain does not show that its end was cut off, so `head.json` names the last line and its end. It is
// written before the line (a full disk is found first) and renamed into place after the sync, so it is never ahead of a
// sound log. A log that ends before its anchor was rolled back; a log with another line there was rewritten. Readers
// take no lock: they read the anchor before the log, and read once more if they find damage, because a writer may be
// cutting.
//
// On PostgreSQL (fleet/sql) a line is a row with these same bytes. Memory, files and tables pass one suite of laws.
//
// Rejected: a `manifest.json` that is rewritten (no history, and a crash can lose it); SQLite (a native dependency for
// a few hundred lines); lock files with a rule about their age (some of the races end with two holders).
import { Result, Schema } from "effect"
import { isFields, parseJson } from "../text/Json.ts"
import type { Head } from "./StreamKind.ts"

/** What is wrong with a line. `no newline`: an acknowledged line has lost its end. */
export const Damage = Schema.Literals([
  "no newline",
  "blank line",
  "BOM",
  "CRLF",
  "NUL",
  "not JSON",
  "no hash",
  "bad hash",
  "not a line of this log",
  "no genesis",
  "too long",
  "duplicate",
  "gap",
  "broken chain"
])
export type Damage = typeof Damage.Type

const NUL = 0
const space = 0x20
const carriageReturn = 0x0d
const bom: ReadonlyArray<number> = [0xef, 0xbb, 0xbf]

/** The damage that can be seen without parsing the line, or null. */
const visibleDamage = (bytes: Uint8Array): Damage | null => {
  if (bytes.includes(NUL)) return "NUL"
  if (bom.every((byte, i) => bytes[i] === byte)) return "BOM"
  if (bytes.every((byte) => byte <= space)) return "blank line"
  if (bytes[bytes.length - 1] === carriageReturn) return "CRLF"
  return null
}

/** What only a newer version of this program can read: the format of a line, or an event it holds. */
export const Newer = Schema.Union([
  Schema.TaggedStruct("FormatVersion", { version: Schema.Number }),
  Schema.TaggedStruct("UnknownEvent", { line: Schema.Int, event: Schema.String })
])
export type Newer = typeof Newer.Type

/** What is too new, for people. */
export const newerText = (newer: Newer): string => {
  switch (newer._tag) {
    case "FormatVersion":
      return `format version ${newer.version}`
    case "UnknownEvent":
      return `line ${newer.line} holds an unknown event (${newer.event})`
  }
}

/** Why a line cannot be used. A `torn` one may be a hole left by power loss, if it is the last. */
export type LineProblem =
  | { readonly _tag: "Damaged"; readonly kind: Damage; readonly torn: boolean }
  | { readonly _tag: "TooNew"; readonly newer: Newer }

/** Why events cannot become the next line. */
export const LineRefusal = Schema.Union([
  Schema.TaggedStruct("NotOfSchema", { problem: Schema.String }),
  Schema.TaggedStruct("NotGenesis", { event: Schema.String }),
  Schema.TaggedStruct("LineTooLong", { bytes: Schema.Int, most: Schema.Int })
])
export type LineRefusal = typeof LineRefusal.Type

/** Why a line was refused, for people. */
export const lineRefusalText = (refusal: LineRefusal): string => {
  switch (refusal._tag) {
    case "NotOfSchema":
      return `an event does not fit its schema: ${refusal.problem}`
    case "NotGenesis":
      return `the first line of a log must hold its ${refusal.event}`
    case "LineTooLong":
      return `a line of ${refusal.bytes} bytes is larger than the ${refusal.most} a line may have`
  }
}

// Writing and verifying a line

/** The version of the envelope. A greater one is refused; the frame (newline, suffix, sha256) is the same in all. */
const lineVersion = 1

/** The most bytes of a line, newline included. Larger data lies in a file whose digest is in the line. */
export const maxLineBytes = 64 * 1024

/** What follows the hashed bytes of a line. */
export const suffix = (hash: string): string => `,"hash":"${hash}"}`

export const suffixBytes = suffix("").length + 64

/** The lower-case hexadecimal sha256 of bytes, or of a text's UTF-8 bytes. */
export type Sha256 = (data: Uint8Array | string) => string

/** Who wrote a line: only information, it decides nothing. */
export interface Author {
  readonly version: string
  readonly pid: number
  readonly host?: string
}

/** A verified line with its events as parsed; `replay` also shows events that this version does not know. */
export interface Envelope {
  readonly seq: number
  readonly at: string
  readonly by: unknown
  readonly prev: string
  readonly hash: string
  readonly events: ReadonlyArray<unknown>
}

/** The event that line 1 must hold, and its fields that `prev` of line 1 binds the log to. */
interface Genesis {
  readonly event: string
  readonly binds: ReadonlyArray<string>
}

// Bound to a random field, so that no line can be moved from one log into another.
const prevOfFirst = ({ binds, event }: Genesis, events: ReadonlyArray<unknown>, sha256: Sha256): string | null => {
  for (const raw of events) {
    if (isFields(raw) && raw["_tag"] === event) return sha256(binds.map((field) => String(raw[field])).join("\n"))
  }
  return null
}

/** What a line is made of. `events` are encoded. */
interface LineContent {
  readonly after: Head
  readonly at: string
  readonly by: Author
  readonly events: ReadonlyArray<unknown>
}

/** A line ready to be appended, newline included. */
export interface FramedLine {
  readonly bytes: Uint8Array
  readonly line: Envelope
}

/** The line that follows `after`, or why it is refused: it begins no log, or is longer than a line may be. */
export const frame = (
  { after, at, by, events }: LineContent,
  genesis: Genesis,
  sha256: Sha256
): Result.Result<FramedLine, LineRefusal> => {
  const seq = after.seq + 1
  const prev = seq === 1 ? prevOfFirst(genesis, events, sha256) : after.hash
  if (prev === null) return Result.fail({ _tag: "NotGenesis", event: genesis.event })
  const body = JSON.stringify({ v: lineVersion, seq, at, by, prev, events }).slice(0, -1)
  const hash = sha256(body)
  const bytes = new TextEncoder().encode(`${body}${suffix(hash)}\n`)
  return bytes.length > maxLineBytes
    ? Result.fail({ _tag: "LineTooLong", bytes: bytes.length, most: maxLineBytes })
    : Result.succeed({ bytes, line: { seq, at, by, prev, hash, events } })
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const anySuffix = /,"hash":"[0-9a-f]{64}"\}$/

/** Whether a text ends in the suffix of this hash. Making that suffix for each line would cost more. */
const endsIn = (text: string, hash: string): boolean =>
  text.startsWith(hash, text.length - hash.length - 2) && text.endsWith(`"}`) &&
  text.startsWith(`,"hash":"`, text.length - suffixBytes)

const decodeText = (bytes: Uint8Array): string | null => {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

const time = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/

/** Whether a text is a time in the format of lines. */
export const isTime = (text: string): boolean => time.test(text)

const damaged = (kind: Damage, torn = false): Result.Result<never, LineProblem> =>
  Result.fail({ _tag: "Damaged", kind, torn })

/** The damage of a line whose hash does not fit its bytes, by the most specific name. */
const unhashed = (bytes: Uint8Array, text: string | null): Result.Result<never, LineProblem> => {
  const kind = visibleDamage(bytes)
  if (kind !== null) return damaged(kind, kind === "NUL")
  if (text !== null && !anySuffix.test(text)) {
    return damaged(parseJson(text) === undefined ? "not JSON" : "no hash")
  }
  return damaged("bad hash")
}

/**
 * Verifies the raw bytes of one line, without its newline, as the one that follows `after`. The next line follows `{
 * seq, hash }` of the result. `kind` of a problem says what is wrong; the caller knows where.
 */
export const verify = (
  bytes: Uint8Array,
  after: Head,
  genesis: Genesis,
  sha256: Sha256
): Result.Result<Envelope, LineProblem> => {
  const text = decodeText(bytes)
  const hash = sha256(bytes.subarray(0, Math.max(0, bytes.length - suffixBytes)))
  if (text === null || !endsIn(text, hash)) return unhashed(bytes, text)
  // From here on the hash fits, so a program wrote exactly these bytes: another program, or a newer version.
  const json = parseJson(text)
  if (!isFields(json)) return damaged(visibleDamage(bytes) ?? "not JSON")
  const { at, by, events, prev, seq, v } = json
  if (typeof v === "number" && v > lineVersion) {
    return Result.fail({ _tag: "TooNew", newer: { _tag: "FormatVersion", version: v } })
  }
  if (
    v !== lineVersion || typeof seq !== "number" || !Number.isSafeInteger(seq) || typeof at !== "string" ||
    !isTime(at) ||
    typeof prev !== "string" || !Array.isArray(events) || json["hash"] !== hash
  ) {
    return damaged("not a line of this log")
  }
  if (bytes.length >= maxLineBytes) return damaged("too long")
  if (seq <= after.seq) return damaged("duplicate")
  if (seq > after.seq + 1) return damaged("gap")
  const expected = seq === 1 ? prevOfFirst(genesis, events, sha256) : after.hash
  if (expected === null) return damaged("no genesis")
  if (prev !== expected) return damaged("broken chain")
  return Result.succeed({ seq, at, by, prev, hash, events })
}
