// Transcript: reads the ends of codex's transcript: its banner, its session, and a body after the marker.
// A command's output must never count as codex's words, as far as the two can be distinguished.
import { plain } from "../../text/Untrusted.ts"

const bannerLine = /^OpenAI Codex v(\d[\w.+-]{0,60})/
// Warnings may precede the banner; a banner further down is a command's output.
const preamble = 60

const headLines = (head: string): ReadonlyArray<string> => plain(head.slice(0, 64 * 1024)).split("\n")

// Lines that only follow the banner; a banner after one of them is a command's output.
const block = /^(?:user|codex|exec|thinking)$/

const bannerAt = (lines: ReadonlyArray<string>): number => {
  const at = lines.slice(0, preamble).findIndex((line) => bannerLine.test(line))
  return lines.slice(0, Math.max(at, 0)).some((line) => block.test(line)) ? -1 : at
}

/** Whether standard error begins with codex's banner. `head` is its beginning. */
export const hasBanner = (head: string): boolean => bannerAt(headLines(head)) >= 0

/** The lines between the two rules of the first banner; nothing after the second rule is codex's. */
const bannerLines = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const start = bannerAt(lines)
  if (start < 0) return []
  const below = lines.slice(start + 1, start + 40).map((line) => line.trim())
  const first = below.findIndex((line) => /^-{4,}$/.test(line))
  const last = below.findIndex((line, i) => i > first && /^-{4,}$/.test(line))
  return first < 0 || last < 0 ? [] : below.slice(first + 1, last)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const sessionIn = (lines: ReadonlyArray<string>): string | null => {
  const ids = lines.filter((line) => /^session id: /i.test(line)).map((line) => line.slice(12).toLowerCase())
  return ids.find((id) => uuid.test(id)) ?? null
}

/** The session id of the first banner, lower case; null if it is missing or no UUID. */
export const sessionId = (head: string): string | null => sessionIn(bannerLines(headLines(head)))

/** Codex's own description of its call; null for what is missing. `asked` is the request. */
export interface Banner {
  readonly version: string | null
  readonly workdir: string | null
  readonly model: string | null
  readonly sandbox: string | null
  readonly effort: string | null
  readonly session: string | null
  readonly asked: string | null
}

/** The line after the first `user` line, which follows the banner. */
const askedIn = (lines: ReadonlyArray<string>): string | null => {
  const at = bannerAt(lines)
  const user = at < 0 ? -1 : lines.findIndex((line, i) => i > at && block.test(line))
  return user < 0 || lines[user] !== "user" ? null : lines[user + 1]?.trim() ?? null
}

/** The contents of the first banner. `head` is the beginning of standard error. */
export const banner = (head: string): Banner => {
  const lines = headLines(head)
  const banner = bannerLines(lines)
  const of = (name: string): string | null =>
    banner.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null
  return {
    version: bannerLine.exec(lines[bannerAt(lines)] ?? "")?.[1] ?? null,
    workdir: of("workdir"),
    model: of("model"),
    sandbox: of("sandbox"),
    effort: of("reasoning effort"),
    session: sessionIn(banner),
    asked: askedIn(lines)
  }
}

// If both streams went to one file, that file holds the body twice, one copy after the other.
const once = (body: string): string => {
  const text = body.trim()
  const half = (text.length - 1) / 2
  const twice = text.length > 2 && text[half] === "\n" && text.slice(0, half) === text.slice(half + 1)
  return twice ? text.slice(0, half) : body
}

// Codex may colour its own line. If only plain lines counted, a command's line could pass for it.
const markers = /^(?:\u001b\[[\d;]*m)*codex(?:\u001b\[[\d;]*m)*[ \t]*\r?$/gm

/** The bodies after lines that are just `codex`, in order; empty unless text follows the last of them. */
export const markedBodies = (transcript: string): ReadonlyArray<string> => {
  const found = [...transcript.matchAll(markers)]
  const bodies = found.map((one, i) => transcript.slice(one.index + one[0].length, found[i + 1]?.index))
  if ((bodies.at(-1)?.trim() ?? "") === "") return []
  return bodies.map((body) => once(body.replace(/^\r?\n/, "")))
}

/** The last of the marked bodies; null if missing. */
export const markedBody = (transcript: string): string | null => markedBodies(transcript).at(-1) ?? null
