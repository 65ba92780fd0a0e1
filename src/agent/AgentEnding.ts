// AgentEnding: how an agent ended: report, failure, quota, remedy.
import { Schema } from "effect"
import type { AgentKind } from "../log/Refs.ts"
import { type Complaint, type FailureKind, kindOf, remedy } from "../run/FailureKind.ts"
import { brief } from "../text/Untrusted.ts"
import { complaintOf, instantText, interruptedSentence } from "./CodexFailure.ts"

// An agent's own report that it could not do its task. Its first line begins with `FAILED:`.

/** The report in its parts. A missing part is empty. */
export const FailedReport = Schema.Struct({
  summary: Schema.String,
  requirements: Schema.String,
  problems: Schema.String,
  solutions: Schema.String
})
export type FailedReport = typeof FailedReport.Type

type Section = "requirements" | "problems" | "solutions"

const headings: ReadonlyArray<readonly [Section, RegExp]> = [
  ["requirements", /^(?:requirements|goals)$/i],
  ["problems", /^(?:problems|issues|conflicts|constraints)$/i],
  ["solutions", /^(?:(?:possible|potential) solutions|next steps|recommendations)$/i]
]

const longestHeading = 60

const sectionOf = (line: string): Section | null => {
  const text = line.trim()
  if (text.length > longestHeading) return null
  const name = text.replace(/^#{1,2}(?!#)\s*|\s*#+$/g, "").replace(/[*_]/g, "").replace(/\s*:$/, "").trim()
  return headings.find(([, pattern]) => pattern.test(name))?.[0] ?? null
}

/**
 * Reads a report. Its first line that is not blank begins with `FAILED:`, in capitals and with nothing before it;
 * `FAILED:` anywhere else is another program's output. Null for every other message. If the heading of the problems has
 * no text under it, all the text below the first line is the problem.
 */
export const parseFailedReport = (text: string): FailedReport | null => {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|[\n\r]/)
  const start = lines.findIndex((line) => line.trim() !== "")
  const first = lines[start]
  if (first === undefined || !first.startsWith("FAILED:")) return null
  const rest = lines.slice(start + 1)
  const parts: Record<Section | "before", Array<string>> = { before: [], requirements: [], problems: [], solutions: [] }
  let section: Section | "before" = "before"
  for (const line of rest) {
    const next = sectionOf(line)
    if (next === null) parts[section].push(line)
    else section = next
  }
  const of = (part: ReadonlyArray<string>) => part.join("\n").trim()
  return {
    summary: first.slice("FAILED:".length).trim(),
    requirements: of(parts.requirements),
    problems: of(parts.problems) || of(rest),
    solutions: of(parts.solutions)
  }
}

// A span of time in a service's own words, such as `1m 20s` or `3 days 4 hours`.

const unit = String
  .raw`milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|months?|m|hours?|hrs?|h|days?|d|weeks?|w`
const part = new RegExp(String.raw`(?:,|\s|\band\b){0,8}(\d{1,15}(?:\.\d{1,9})?)\s{0,4}(?:(${unit})(?![a-z]))?`, "iy")
const day = 86_400_000

const millisOf = (name: string): number => {
  if (/^(?:ms|milli)/.test(name)) return 1
  if (name.startsWith("mo")) return 30 * day
  return { s: 1_000, m: 60_000, h: 3_600_000, d: day, w: 7 * day }[name[0] ?? ""] ?? 1_000
}

/** The span that a text begins with, in its words and in milliseconds; null if it begins with none. */
export const delayAt = (text: string): { readonly words: string; readonly millis: number } | null => {
  let millis = 0
  let end = 0
  for (;;) {
    part.lastIndex = end
    const found = part.exec(text)
    // A number without a unit counts seconds, and nothing may follow it.
    if (found === null || (end > 0 && found[2] === undefined)) break
    millis += Number(found[1]) * millisOf((found[2] ?? "s").toLowerCase())
    end = part.lastIndex
    if (found[2] === undefined) break
  }
  return end === 0 ? null : { words: text.slice(0, end).trim(), millis: Math.ceil(millis) }
}

/** The delay that a service names: `try again in 1.5s`, `retry after 30`. */
export const namedDelay = (said: string): ReturnType<typeof delayAt> => {
  const found = /\b(?:try again (?:in|after)|retry (?:in|after))\s{1,4}/i.exec(said)
  return found === null ? null : delayAt(said.slice(found.index + found[0].length))
}

// When a quota is full again, from the time on a clock or the span of time that a service names.

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const dated = String.raw`(?<month>[a-z]{3})[a-z]* (?<date>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?,? (?:at )?`
const timed = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2}))? ?(?<half>[ap]m)?`
const clock = new RegExp(String.raw`^(?:${dated})?${timed}(?: \((?<zone>[\w/+-]{1,40})\))?$`, "i")
const instant = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC$/

/** How far the clock of a named time zone is ahead of UTC, in milliseconds; null for an unknown zone. */
const zoneOf = (timeZone: string, now: number): number | null => {
  try {
    const there = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(now)
    return Date.parse(`${there.replace(" ", "T")}Z`) - Math.floor(now / 1000) * 1000
  } catch {
    return null
  }
}

type Groups = Readonly<Record<string, string | undefined>>

const dayOf = ({ date, month, year }: Groups, now: number): number | null => {
  if (month === undefined) return null
  const index = months.indexOf(month.toLowerCase())
  const named = (of: number) => Date.UTC(of, index, Number(date))
  if (index < 0) return Number.NaN
  if (year !== undefined) return named(Number(year))
  const current = new Date(now).getUTCFullYear()
  return named(current) + 2 * day < now ? named(current + 1) : named(current)
}

/**
 * The instant of `9:36 AM`, `Jan 5th, 2030 9:36 AM`, `Oct 9 at 10am (Europe/Berlin)` or `3 days 4 hours` from now on,
 * in epoch milliseconds; null for anything else. `zone` is how far the clock of this place is ahead of UTC, in
 * milliseconds; it counts where none is named. A time without a day is the next one.
 */
export const quotaReset = (until: string, now: number, zone: number): number | null => {
  const said = until.trim().replace(/\s+/g, " ")
  const [, utcDay, utcTime] = instant.exec(said) ?? []
  if (utcDay !== undefined) return Date.parse(`${utcDay}T${utcTime}Z`)
  const delay = delayAt(said)
  if (delay !== null && delay.words === said) return now + delay.millis
  const found = clock.exec(said)?.groups
  if (found === undefined) return null
  const half = found["half"]?.toLowerCase()
  const hour = Number(found["hour"])
  const minute = Number(found["minute"] ?? 0)
  if (half === undefined && found["minute"] === undefined) return null
  if (minute > 59 || (half === undefined ? hour > 23 : hour < 1 || hour > 12)) return null
  const ahead = found["zone"] === undefined ? zone : zoneOf(found["zone"], now)
  if (ahead === null) return null
  const hours = half === undefined ? hour : hour % 12 + (half === "pm" ? 12 : 0)
  const today = Math.floor((now + ahead) / day) * day
  const named = dayOf(found, now)
  const at = (named ?? today) + hours * 3_600_000 + minute * 60_000 - ahead
  if (!Number.isFinite(at)) return null
  // The current minute counts as now: the service names no seconds.
  return named === null && at + 60_000 <= now ? at + day : at
}

// How an agent's step ended: done, with its own report of failure, or with a typed failure.

/**
 * The ending. `message` holds the agent's own words, whole: whoever acts next sees them. `until` is when a quota is
 * full again, in the service's words: a time on a clock, without a zone from codex, or a span of time from now on.
 * `after` is in milliseconds.
 */
export type AgentEnding =
  | { readonly _tag: "Done"; readonly message: string }
  | { readonly _tag: "Reported"; readonly message: string; readonly report: FailedReport }
  | { readonly _tag: "Quota"; readonly message: string; readonly until: string | null }
  | { readonly _tag: "RateLimited"; readonly message: string; readonly after: number | null }
  | {
    readonly _tag:
      | "Interrupted"
      | "Login"
      | "ContextWindow"
      | "Overloaded"
      | "SandboxDenied"
      | "Missing"
    readonly message: string
  }
  /** Refused or cut off; `cause` names the reason if that has a remedy of its own. */
  | { readonly _tag: "BadArguments" | "Stream"; readonly message: string; readonly cause?: FailureKind }
  /** Stopped by the guard after that many milliseconds: without any event, or in all. */
  | { readonly _tag: "Idle" | "Deadline"; readonly message: string; readonly after: number }
  | { readonly _tag: "Crashed"; readonly message: string; readonly exit: number | null }
  /** It said nothing; `unreadable` if it printed something that is no event. */
  | { readonly _tag: "Empty"; readonly message: string; readonly unreadable: boolean }

/** The endings that are failures of the step itself. */
export type AgentFailure = Exclude<AgentEnding, { readonly _tag: "Done" | "Reported" }>

const time = String.raw`[^.]{0,60}?(?:[AP]M\b(?: \([\w/+-]{1,40}\))?|\d{2}:\d{2}[^.\s]*)`
const resetWords = RegExp(String.raw`\b(?:try again at|resets?(?: at)?) (${time})`, "i")

const resetTime = ({ until, words }: Complaint): string | null => {
  if (until !== null) return instantText(until)
  // Older versions of Claude Code put epoch seconds behind a bar.
  const seconds = /\|(\d{10})\b/.exec(words)?.[1]
  if (seconds !== undefined) return instantText(Number(seconds) * 1000)
  return resetWords.exec(words)?.[1] ?? namedDelay(words)?.words ?? null
}

const stoppedByHand = /^(?:turn |conversation |task )?(?:was )?(?:interrupted|aborted)\b/i

// The failures of agents in a log, by the kind of failure in the table.
const tags = {
  Quota: "Quota",
  LoginRaced: "Stream",
  ProxyRefused: "BadArguments",
  UnsupportedEffort: "BadArguments",
  OutdatedProgram: "BadArguments",
  ContentRefused: "BadArguments",
  Forbidden: "BadArguments",
  NotLoggedIn: "Login",
  ContextTooLarge: "ContextWindow",
  TurnLimit: "BadArguments",
  RateLimited: "RateLimited",
  Overloaded: "Overloaded",
  ModelNotFound: "BadArguments",
  DiskFull: "BadArguments",
  McpFailed: "BadArguments",
  BadCertificate: "BadArguments",
  ServerError: "Overloaded",
  StreamLost: "Stream",
  NotTrusted: "BadArguments",
  MissingBinary: "Missing",
  CodexHome: "BadArguments",
  BadConfig: "BadArguments",
  NoSandbox: "SandboxDenied",
  BadArguments: "BadArguments",
  Unknown: "Crashed",
  Deadline: "Crashed",
  Idle: "Crashed",
  Lost: "Crashed",
  Unstarted: "Crashed",
  NoReview: "Crashed",
  Unread: "Crashed",
  TranscriptTooLarge: "Crashed",
  NetworkWait: "Stream",
  KilledBySignal: "Crashed",
  ExitStatus: "Crashed"
} as const satisfies Record<FailureKind, AgentFailure["_tag"]>

/** The failure of an agent of which only the exit status is known. */
export const failedLater = (said: string, exit: number | null): AgentFailure =>
  exit === 130 ? { _tag: "Interrupted", message: said } : { _tag: "Crashed", message: said, exit }

/** The failure of an exit status without a message: 2 is a refused argument, 126 and 127 a missing program. */
export const failureOfStatus = (said: string, exit: number | null): AgentFailure => {
  if (exit === 2) return { _tag: "BadArguments", message: said }
  if (exit === 126 || exit === 127) return { _tag: "Missing", message: said }
  return failedLater(said, exit)
}

/**
 * The failure that a message describes, with the codes of the program's own record and the exit status (null if a
 * signal ended the agent or the status is unknown).
 */
export const failureOf = (said: string, exit: number | null, recorded: Partial<Complaint> = {}): AgentFailure => {
  if (said === interruptedSentence || stoppedByHand.test(said)) return { _tag: "Interrupted", message: said }
  const read = complaintOf(said)
  const complaint: Complaint = {
    words: read.words,
    codes: [...recorded.codes ?? [], ...read.codes],
    until: recorded.until ?? read.until
  }
  const cause = kindOf(complaint)
  if (cause === null) return failureOfStatus(said, exit)
  const _tag = tags[cause]
  switch (_tag) {
    case "Quota":
      return { _tag, message: said, until: resetTime(complaint) }
    case "RateLimited":
      return { _tag, message: said, after: namedDelay(complaint.words)?.millis ?? null }
    case "Crashed":
      return { _tag, message: said, exit }
    case "BadArguments":
    case "Stream":
      return { _tag, message: said, ...(cause === "BadArguments" || cause === "StreamLost" ? {} : { cause }) }
    default:
      return { _tag, message: said }
  }
}

// What a person can do about an agent that failed for good.

const logIn = {
  codex: "run `codex login`, or set CODEX_API_KEY",
  claude: "run `claude` and log in, or set ANTHROPIC_API_KEY",
  command: "log in with the program of --agent-cmd"
} as const satisfies Record<AgentKind, string>

const install = {
  codex: "install codex, or name it with --codex-bin",
  claude: "install claude, and put its directory on PATH",
  command: "name a program that exists with --agent-cmd"
} as const satisfies Record<AgentKind, string>

const kept = "what it has done so far is kept in the worktree"

const resetOf = (until: string): string =>
  delayAt(until)?.words === until ? `for another ${until}` : `until ${brief(until, 60)}`

/** One line for people. `kind` is the program that failed. */
export const remedyOf = (failure: AgentFailure, kind: AgentKind): string => {
  switch (failure._tag) {
    case "Login":
      return logIn[kind]
    case "Quota":
      return failure.until === null
        ? "the account's usage limit is reached; wait for its reset or buy credits"
        : `the account's usage limit is reached ${resetOf(failure.until)}; ` +
          "call again then, or allow the wait with --wait-quota"
    case "BadArguments":
      return failure.cause === undefined
        ? "the agent refused its arguments or the request; read the transcript"
        : remedy(failure.cause, failure.message)
    case "Missing":
      return install[kind]
    case "SandboxDenied":
      return "the sandbox refused what the agent needs; change the task, or do this part yourself"
    case "Interrupted":
      return `the agent was interrupted; ${kept}; call again to continue from there`
    case "Deadline":
      return `the agent ran out of time; ${kept}; raise --agent-timeout`
    case "ContextWindow":
      return "the task does not fit the model's context; divide it, or choose another model"
    case "RateLimited":
      return "the service limits the rate of requests; wait a while and call again"
    case "Overloaded":
      return "the model's service is overloaded; call again later or choose another model"
    case "Stream":
      return failure.cause === undefined
        ? "the connection broke off; check the network and call again"
        : remedy(failure.cause, failure.message)
    case "Idle":
      return "the agent showed no progress; call again or raise --idle-timeout"
    case "Crashed":
      return "read the end of the transcript, then call again"
    case "Empty":
      return "the agent gave no answer; read the transcript, then call again"
  }
}
