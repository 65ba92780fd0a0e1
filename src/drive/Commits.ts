// Commits: commits of a round: message and port.
import { Context, type Effect } from "effect"
import { outgoing } from "../text/redaction/Redaction.ts"
import { brief, lines } from "../text/Untrusted.ts"
import type { Answer } from "./converge/Event.ts"

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

const answerLine = ({ answer, fingerprint, title, why }: FixesMade["answers"][number]): string =>
  `- ${fingerprint} ${brief(title, bounds.title)}: ${answer} - ${brief(why, bounds.why)}`

/**
 * The message: the template with its placeholders `{level} {batch} {round} {run} {findings} {count}` filled in, then a
 * line for each finding with its answer.
 */
export const commitMessage = (template: string, made: FixesMade): string => {
  const own = headOf(template, made)
  const [subject = "", ...rest] = own.length === 0 ? headOf(defaultTemplate, made) : own
  const answers = made.answers.slice(0, bounds.answers).map(answerLine)
  const more = made.answers.length - answers.length
  const body = more === 0 ? answers : [...answers, `- and ${more} more`]
  const message = [brief(subject, bounds.subject), ...rest, ...(body.length === 0 ? [] : ["", ...body]), ""]
  return outgoing(message.join("\n"))
}

// What git says if only a person can go on, since no agent could change it.

const personal: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /please tell me who you are|unable to auto-detect email|empty ident name|user\.(?:email|name)\b/i,
    "it knows no author [git config user.email YOU@EXAMPLE.ORG, and user.name]"
  ],
  [
    /gpg failed to sign|signing failed|couldn't sign|failed to sign the data|no secret key|cannot run gpg/i,
    "it could not sign [unlock or set up your signing key, or git config commit.gpgsign false]"
  ],
  [
    /read-only file system|insufficient permission for adding|unable to create '.{0,300}': permission denied/i,
    "it cannot write into .git [give yourself the right to write there]"
  ],
  [
    /(?:index|HEAD|config)\.lock|another git process/i,
    "another git process is at work, or left a lock [end it, then remove .git/index.lock]"
  ],
  [/no space left on device|disk quota exceeded/i, "the disk is full"],
  [
    /getaddrinfo|could not resolve host|network is unreachable|could not read username|authentication failed for/i,
    "a hook needs the network or a login [run the hook yourself to see what it needs]"
  ],
  [
    /protected branch|don't commit to branch|(?:commits?|push) (?:directly )?to (?:the )?\S+ .*(?:not allowed|forbidden)/i,
    "the branch is protected [git switch -c BRANCH]"
  ]
]

/** Why git refused, where only a person can change that; null where an agent may. */
export const refusalReason = (output: string): string | null => {
  const found = personal.find(([pattern]) => pattern.test(output))
  if (found === undefined) return null
  const [pattern, reason] = found
  const said = lines(output).find((line) => pattern.test(line)) ?? ""
  return `${reason}: ${brief(said.trim(), 160)}`
}

// The port that commits the work of a round, as a person would: with the hooks and the settings of git.

export class Commits extends Context.Service<Commits, {
  /**
   * Commits everything in the worktree that git does not ignore: the id of the commit, or null if git refused, and the
   * output of git and its hooks. If nothing has changed, `commit` is the present one, and `made` is false unless an
   * earlier call made it with this message after the commit `before`. Git and its hooks end with this process, and with
   * an interruption.
   */
  readonly commitAll: (
    worktree: string,
    message: string,
    before: string | null
  ) => Effect.Effect<{ readonly commit: string | null; readonly output: string; readonly made?: false }>
  /** What HEAD lacks of the worktree's content, whatever git's index and settings say, and what to do; null for nothing. */
  readonly left: (worktree: string) => Effect.Effect<string | null>
  /** Why git would refuse every commit, because it knows no author; null where it knows one. */
  readonly authorProblem: (worktree: string) => Effect.Effect<string | null>
  /** The hooks and filters of the user that a commit runs, by name. They may run files of the worktree. */
  readonly programs: (worktree: string) => Effect.Effect<ReadonlyArray<string>>
}>()("ooda-codex-review/services/Commits") {}
