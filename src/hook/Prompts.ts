// Prompts: what codex is asked by the hook.
import { render } from "../prompts/Prompt.ts"
import { blockLine, lines } from "../text/Untrusted.ts"
import { cutSafely } from "../text/redaction/Redaction.ts"
import type { ThinkingStage } from "./Event.ts"
import type { CommandHint, FocusHint, SizeHint } from "./Hints.ts"

// Untrusted text, inside one element of a prompt that nothing in the text can close.
// Secrets are removed, hidden characters are shown, and long texts keep their head and their tail.

/** The most characters of a text, a thought, an error, and a name. */
export const limits = { text: 400_000, thought: 100_000, error: 20_000, name: 1000 } as const

interface Datum {
  /** Our own name of the text: letters and hyphens. */
  readonly name: string
  readonly text: string
  readonly limit?: number
}

// Whatever looks like our tag, even in another case or with blanks, loses the sign that makes it one.
const likeOurs = /<(?=\s{0,20}[/\\]?\s{0,20}(?:data|part)-)/gi

const safe = ({ limit = limits.text, text }: Datum, tag: string): string =>
  lines(cutSafely(text, limit)).map(blockLine).join("\n").replace(likeOurs, "&lt;").replaceAll(tag, "[tag]")

/** The element for a prompt whose tag is `tag`, random for each prompt. An empty text is marked as empty. */
export const dataElement = (tag: string, data: ReadonlyArray<Datum>): string =>
  [
    `<data-${tag}>`,
    ...data.flatMap((datum) => {
      const text = safe(datum, tag)
      return text.trim() === ""
        ? [`<part-${tag} name="${datum.name}" empty></part-${tag}>`]
        : [`<part-${tag} name="${datum.name}">`, text, `</part-${tag}>`]
    }),
    `</data-${tag}>`
  ].join("\n")

/** The holes for an element of data. */
const dataHoles = (tag: string, data: ReadonlyArray<Datum>) => ({ tag, data: dataElement(tag, data) })

// What a prompt says to check first.

const focused: Readonly<Record<FocusHint, string>> = {
  security: "this path is about security: who may do this, what is checked, what leaks, what is compared in what time",
  test: "this path is about tests: can each fail, does it run the real code, was one weakened or skipped",
  data: "this path is about data: is any lost, are old data still read, what happens half-way, what at the same time",
  ui:
    "this path is about an interface: states without data, errors, wide and narrow screens, keyboards, screen readers",
  config: "this path is about configuration: defaults, what depends on it elsewhere, secrets in it, other environments"
}

const sized: Readonly<Record<SizeHint, string>> = {
  expanded: "the text grew to more than three times its size: is all of it needed",
  reduced: "the text shrank to less than half: was anything lost that somebody needs",
  large: "the change is large: look for what does not belong to it"
}

const listed = (hints: ReadonlyArray<string>): string => hints.map((one) => `- ${one}`).join("\n")

// The question to codex about an edit that Claude Code has just made.

interface CodeRequest {
  /** Random for each prompt. */
  readonly tag: string
  readonly tool: string
  readonly path: string
  /** The text that the edit removed; empty for a new file. */
  readonly before: string
  /** The text that replaced it. */
  readonly after: string
  /** The tool's answer; null if it adds nothing. */
  readonly response: string | null
  readonly focus: ReadonlyArray<FocusHint>
  readonly size: ReadonlyArray<SizeHint>
}

/** Asks for a verdict on an edit. */
export const codePrompt = ({ after, before, focus, path, response, size, tag, tool }: CodeRequest): string =>
  render("hook-code", {
    ...dataHoles(tag, [
      { name: "tool", text: tool, limit: limits.name },
      { name: "file", text: path, limit: limits.name },
      { name: "before", text: before },
      { name: "after", text: after },
      ...(response === null ? [] : [{ name: "response", text: response, limit: limits.error }])
    ]),
    hints: listed([...focus.map((one) => focused[one]), ...size.map((one) => sized[one])])
  })

// The question to codex about a plan that Claude Code is about to follow.

interface PlanRequest {
  /** Random for each prompt. */
  readonly tag: string
  readonly plan: string
}

/** Asks for a verdict on a plan. */
export const planPrompt = ({ plan, tag }: PlanRequest): string =>
  render("hook-plan", dataHoles(tag, [{ name: "plan", text: plan }]))

// The question to codex when Claude Code says that it is done.

interface StopRequest {
  /** Random for each prompt. */
  readonly tag: string
  /** The last message of the agent. */
  readonly message: string
  /** The files that were edited in this turn. */
  readonly files: ReadonlyArray<string>
  /** `git diff` of these files; empty if they have none. */
  readonly diff: string
}

/** Asks for a verdict on what a turn changed. */
export const stopPrompt = ({ diff, files, message, tag }: StopRequest): string =>
  render(
    "hook-stop",
    dataHoles(tag, [
      { name: "message", text: message, limit: limits.thought },
      { name: "files", text: files.join("\n"), limit: limits.error },
      { name: "diff", text: diff }
    ])
  )

// The question to codex about a failed shell command. The answer is a diagnosis without a verdict.

interface FailureRequest {
  /** Random for each prompt. */
  readonly tag: string
  readonly command: string
  /** The failure from Claude Code: the exit status and the output. */
  readonly error: string
  readonly hints: ReadonlyArray<CommandHint>
}

const hinted: Readonly<Record<CommandHint, string>> = {
  test: "tests: is the code wrong or the test, and which is the first that fails",
  build: "a build: which error is the first, and which follow from it",
  dependencies: "packages: what is missing, in which version, from which lock file",
  git: "git: in what state are the worktree, the index and the branch",
  network: "the network: can the host be reached from here at all, and is a name or a right missing",
  container: "containers: does the service run, and is the image or the name there",
  database: "a database: does it run, with which schema, and who may do this",
  files: "files: does the path exist, who owns it, is it a folder"
}

/** Asks why a command failed. */
export const failurePrompt = ({ command, error, hints, tag }: FailureRequest): string =>
  render("hook-failure", {
    ...dataHoles(tag, [
      { name: "command", text: command, limit: limits.error },
      { name: "error", text: error, limit: limits.error }
    ]),
    hints: listed(hints.map((one) => hinted[one]))
  })

// The question to codex about a thought in a chain of thoughts. The answer has no verdict.

interface ThoughtRequest {
  /** Random for each prompt. */
  readonly tag: string
  readonly thought: string
  readonly number: number
  readonly total: number
  readonly stage: ThinkingStage
}

/** Asks for a reflection on a thought. */
export const thoughtPrompt = ({ number, stage, tag, thought, total }: ThoughtRequest): string =>
  render("hook-thought", {
    ...dataHoles(tag, [{ name: "thought", text: thought, limit: limits.thought }]),
    number: String(number),
    total: String(total),
    early: "",
    mid: "",
    late: "",
    [stage]: stage
  })

// The question to codex before Claude Code sums up a session: the answer is for whoever writes the summary.

interface CompactRequest {
  /** Random for each prompt. */
  readonly tag: string
  /** The session, or the end of it. */
  readonly transcript: string
  /** Open findings in the session. */
  readonly open: string
}

/** Asks for a reflection on a session. */
export const compactPrompt = ({ open, tag, transcript }: CompactRequest): string =>
  render("hook-compact", dataHoles(tag, [{ name: "session", text: transcript }, { name: "open", text: open }]))

// The request to codex to summarise the middle of a text that is too long for a prompt.

/** Asks for a summary. `tag` is random for each prompt. */
export const summaryPrompt = ({ tag, text }: { readonly tag: string; readonly text: string }): string =>
  render("hook-summary", dataHoles(tag, [{ name: "middle", text }]))
