// Commits: commits of a round: message and port.
import { Context, type Effect } from "effect"
import { outgoing } from "../text/redaction/Redaction.ts"
import { brief, lines } from "../text/Untrusted.ts"
import type { Answer } from "./converge/Event.ts"
import type { RefusedBy } from "./State.ts"

// The message of the commit of a green round, made from a template and the agent's answers.
// No line begins with `#`, which git may take for a comment, and only the template begins a line freely.

/** The template for `--commit-fixes` without one. */
export const defaultTemplate = "Address {count} finding(s) of {level} batch {batch}"

/** What the message of a commit is made from. */
export interface FixesMade {
  readonly level: string
  readonly batch: number
  readonly round: number
  readonly run: string
  readonly answers: ReadonlyArray<Answer & { readonly title: string }>
}

// Lines for answers have at most 72 characters: common checks of messages refuse longer ones.
const bounds = { subject: 200, line: 1000, lines: 100, title: 120, why: 300, answers: 100 } as const

const filled = (template: string, { answers, batch, level, round, run }: FixesMade): string => {
  const values = new Map([
    ["level", level],
    ["batch", String(batch)],
    ["round", String(round)],
    ["run", run],
    ["findings", answers.map(({ fingerprint }) => fingerprint).join(", ")],
    ["count", String(answers.length)]
  ])
  return template.replace(/\{([a-z]+)\}/g, (whole, name: string) => values.get(name) ?? whole)
}

const uncommented = (line: string): string => line.replace(/^[\s#]+/, "").trimEnd()

/** The lines of the template, filled in; empty if nothing is left of them. */
const headOf = (template: string, made: FixesMade): ReadonlyArray<string> =>
  lines(filled(template, made))
    .slice(0, bounds.lines)
    .map((line) => uncommented(brief(line, bounds.line)))
    .join("\n").trim().split("\n").filter((line, i) => i > 0 || line !== "")

/** The lines of an answer, all but the first one indented; a longer word is broken, but no secret. */
const answerLines = ({ answer, fingerprint, title, why }: FixesMade["answers"][number]): ReadonlyArray<string> =>
  outgoing(`- ${fingerprint} ${brief(title, bounds.title)}: ${answer} - ${brief(why, bounds.why)}`)
    .match(/.{1,70}(?=\s|$)|\S{1,70}/gu)?.map((line, i) => i === 0 ? line : `  ${line.trim()}`) ?? []

/**
 * The message: the template with its placeholders `{level} {batch} {round} {run} {findings} {count}` filled in, then a
 * line for each finding with its answer.
 */
export const commitMessage = (template: string, made: FixesMade): string => {
  const own = headOf(template, made)
  const [subject = "", ...rest] = own.length === 0 ? headOf(defaultTemplate, made) : own
  const answers = made.answers.slice(0, bounds.answers)
  const more = made.answers.length - answers.length
  const body = [...answers.flatMap(answerLines), ...(more === 0 ? [] : [`- and ${more} more`])]
  const message = [brief(subject, bounds.subject), ...rest, ...(body.length === 0 ? [] : ["", ...body]), ""]
  return outgoing(message.join("\n"))
}

// What only a person can change. What a hook prints decides nothing: it may be a text of the project.
const personal: Partial<Record<RefusedBy, string>> = {
  author: "it knows no author [git config user.email YOU@EXAMPLE.ORG, and user.name]",
  signature: "it could not sign [unlock or set up your signing key, or git config commit.gpgsign false]",
  lock: "another git process is at work, or left a lock [end it, then remove .git/index.lock]",
  storage: "it cannot write into .git [free some space, or give yourself the right to write there]",
  "prepare-commit-msg": "the hook prepare-commit-msg refused the message [--commit-fixes=TEMPLATE sets it]",
  "commit-msg": "the hook commit-msg refused the message [--commit-fixes=TEMPLATE sets it]",
  "reference-transaction":
    "the hook reference-transaction refused the commit [run the hook yourself to see what it needs]"
}

/** Whether only a person can change why git refused; an agent may fix everything else. */
export const needsPerson = (by: RefusedBy): boolean => personal[by] !== undefined

/** Why git refused, with the end of what it and its hooks said. */
export const refusalReason = (by: RefusedBy, output: string): string => {
  const said = brief(lines(output).filter((line) => line.trim() !== "").slice(-6).join(" "), 240)
  const reason = personal[by] ?? (by === "git" ? "" : `the hook ${by} failed`)
  return said === "" ? reason : `${reason}${reason === "" ? "" : ": "}"${said}"`
}

// The port that commits the work of a round, as a person would: with the hooks and the settings of git.

export class Commits extends Context.Service<Commits, {
  /**
   * Commits everything in the worktree that git does not ignore: the id of the commit, or null if `refusedBy` refused,
   * and the output of git and its hooks. `changed` if a hook changed files that the commit lacks; they are staged. If
   * nothing has changed, `commit` is the present one, and `made` is false unless an earlier call made it with this
   * message after the commit `before`. Git and its hooks end with this process, and with an interruption.
   */
  readonly commitAll: (
    worktree: string,
    message: string,
    before: string | null
  ) => Effect.Effect<{
    readonly commit: string | null
    readonly output: string
    readonly made?: false
    readonly refusedBy?: RefusedBy
    readonly changed?: true
  }>
  /** What HEAD lacks of the worktree's content, whatever git's index and settings say, and what to do; null for nothing. */
  readonly left: (worktree: string) => Effect.Effect<string | null>
  /** Why git would refuse every commit, because it knows no author; null where it knows one. */
  readonly authorProblem: (worktree: string) => Effect.Effect<string | null>
  /** The hooks and filters of the user that a commit runs, by name. They may run files of the worktree. */
  readonly programs: (worktree: string) => Effect.Effect<ReadonlyArray<string>>
}>()("ooda-codex-review/services/Commits") {}
