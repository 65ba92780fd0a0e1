// words: why a call ends at which a person must act, in a line or two. `status` and the end of a call show the test, the
// findings and the changes beside it, and what to call next.
import type { FailedReport } from "../agent/AgentEnding.ts"
import type { Outcome } from "../run/Outcome.ts"
import { brief, lines, oneLine } from "../text/Untrusted.ts"
import { refusalReason } from "./Commits.ts"
import type { RedTest } from "./Prompts.ts"

/** The subcommand that drives, and that a person calls again. */
export type DriveCommand = "converge" | "implement"

const most = 240

/** What somebody else wrote, on one line and in quotes. */
const quoted = (text: string): string => {
  const words = brief(lines(text).filter((line) => line.trim() !== "").join(" "), most)
  return words === "" ? "" : `"${words}"`
}

/** A test that failed for good. `round` is 0 before the first agent; `restored`: the worktree was put back. */
export interface RedTests extends Omit<RedTest, "timeout"> {
  readonly round: number
  readonly restored: boolean
}

const howRed = ({ changed, exit }: RedTests): string =>
  changed ? "changes the code that it tests" : exit === null ? "runs out of time" : `fails (exit ${exit})`

const putBack = (restored: boolean): string =>
  restored ? "; the working tree was put back to where the round began" : ""

/** The project's tests fail, and no agent fixed them. */
export const testsFailed = (red: RedTests): string => {
  const what = `${brief(red.command, 100)} ${howRed(red)}`
  return red.round === 0
    ? `${what}, and no agent is at work [fix it, or the command; --allow red-baseline goes on all the same]`
    : `${brief(red.command, 100)} still ${howRed(red)}${putBack(red.restored)}`
}

/** Git refused to commit a round's work. `output` is what it said. */
export const commitRefused = ({ output, restored }: Pick<RedTests, "restored"> & { readonly output: string }): string =>
  `the tests pass, but git refused to commit: ${refusalReason(output) ?? quoted(output)}${putBack(restored)}`

/** A task that no agent brought to an end that can be used. */
export interface BlockedTask {
  /** Why its results could not be used. */
  readonly problems: ReadonlyArray<string>
  /** What its result says is wrong. */
  readonly issues: string | null
  /** The protected files that were changed. */
  readonly protectedFiles: ReadonlyArray<string>
}

const names = (files: ReadonlyArray<string>): string => {
  const shown = files.slice(0, 5).map((file) => oneLine(file)).join(", ")
  return files.length > 5 ? `${shown} and ${files.length - 5} more` : shown
}

/** An agent's result cannot be used, it says that work is left, or protected files were changed. */
export const taskBlocked = ({ issues, problems, protectedFiles }: BlockedTask): string => {
  if (protectedFiles.length > 0) {
    return `protected files were changed: ${names(protectedFiles)} [undo puts them back; --fresh begins anew with them]`
  }
  const said = issues === null || issues.trim() === "" ? "" : `; it says: ${quoted(issues)}`
  const [problem] = problems
  return problem === undefined ? `work is left${said}` : `an agent's answer cannot be used: ${quoted(problem)}${said}`
}

/** An agent that failed. `message` is what it ended with, `remedy` what a person can do. */
interface FailedAgent {
  readonly ending: string
  readonly message: string
  readonly remedy: string | null
  readonly report: FailedReport | null
}

const reported = ({ problems, solutions, summary }: FailedReport): string =>
  [
    ["it reports", summary],
    ["in the way", problems],
    ["it proposes", solutions]
  ].flatMap(([name = "", text = ""]) => text.trim() === "" ? [] : [`${name}: ${quoted(text)}`]).join("; ")

/** An agent failed for good, or reported that it cannot do its task. */
export const agentFailed = ({ ending, message, remedy, report }: FailedAgent): string => {
  const why = report === null ? quoted(message) : reported(report)
  const fix = remedy === null ? "" : ` [${brief(remedy, most)}]`
  return `an agent failed (${brief(ending, 60)})${why === "" ? "" : `: ${why}`}${fix}`
}

/** Git's own state was changed beside an agent; `parts` names what. */
export const gitStateChanged = (parts: ReadonlyArray<string>): string =>
  `git's own state changed while an agent worked: ${
    names(parts)
  } [look before git runs a hook: git status, git reflog, ` +
  "git config --list --show-origin; put back by hand what you did not want]"

/** Why a call gave up. */
export const gaveUp = (
  { key }: Extract<Outcome, { readonly _tag: "StuckCapReached" | "StuckRepeated" }>,
  { patience }: { readonly patience: number }
): string => {
  switch (key) {
    case "patience":
      return `${patience} rounds without fewer findings (--patience)`
    case "max-rounds":
    case "max-time":
    case "max-tokens":
      return `the limit of ${key.slice("max-".length)} is reached (--${key})`
    case "rounds":
      return "no fix is left (--rounds)"
    default:
      return "the rounds go in a circle: the code is back at a version with known findings"
  }
}
