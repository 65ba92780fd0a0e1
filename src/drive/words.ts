// words: what a person is asked where a driver stops.
import type { FailedReport } from "../agent/AgentEnding.ts"
import { paragraphs } from "../text/Phrases.ts"
import { brief, fence, oneLine } from "../text/Untrusted.ts"
import { fenceNote, outputBlock, redLine, type RedTest, wordsBlock } from "./Prompts.ts"

// What a person is asked to do where a converging run cannot go on alone, case by case.
// What agents and tests said stands in fences; each text ends in how to go on.

const program = "ooda-codex-review"

/** The subcommand that drives, and that a person calls again. */
export type DriveCommand = "converge" | "implement"

const again = (call: DriveCommand): string => `To go on, call \`${program} ${call} ...\` again, as you called it now.`
// The log's word on a result stands. Only a person can allow the driver to go on past it.
const pastRejected = (call: DriveCommand): string =>
  `To go on without a result that can be used, call \`${program} ${call} ...\` again, as you called it now, with ` +
  "`--allow rejected-result` added. Without it the next call ends here again."
// The marks answer the hand-offs of a converging run alone.
const byHand = (call: DriveCommand): string =>
  call === "implement" ?
    "" :
    "To go on without this program's agents, answer the hand-off yourself. A step without `converge` shows it. The " +
    "marks for a batch are `--mark-address-passed` and `--mark-address-failed DETAILS`, those for a clean " +
    "level are `--mark-retro-clean` and `--mark-retro-changes REASON`."

const undoOf = (run: string): string => {
  const name = oneLine(run)
  return `To take back what agents did in the last round: \`${program} undo ${name}\`; ` +
    `\`${program} undo ${name} --list\` shows all rounds.`
}

const listOf = (items: ReadonlyArray<string>): string => fence(items.map((item) => brief(item, 400)))

/** A test that stayed red. `round` is 0 for the tests before the first agent. */
export interface RedTests extends RedTest {
  readonly call: DriveCommand
  readonly run: string
  readonly round: number
  readonly tail: string
  /** The file that holds the whole output. */
  readonly file: string
  /** Whether the worktree was put back to where the round began. */
  readonly restored: boolean
}

const whereWork = ({ restored, run }: Pick<RedTests, "restored" | "run">): string =>
  restored
    ? "The worktree was put back to where the round began."
    : `The agent's work lies in the worktree. ${undoOf(run)}`

/** The project's tests are red, and no agent mended them. */
export const testsFailed = (red: RedTests): string =>
  paragraphs(
    red.round === 0
      ? "The project's tests are red, and no agent is at work. Please mend them, or correct the test's command."
      : "The project's tests stay red after an agent worked. Please look at them and mend the cause.",
    redLine(red),
    outputBlock(red.tail),
    `The whole output: ${oneLine(red.file)}`,
    fenceNote,
    red.round === 0
      ? "To go on with red tests as they are: add `--allow red-baseline`."
      : whereWork(red),
    again(red.call)
  )

/** Git refused to commit a round's work. `output` is what it said. */
export const commitRefused = ({ call, output, restored, run }: Pick<RedTests, "call" | "restored" | "run"> & {
  readonly output: string
}): string =>
  paragraphs(
    "The tests pass, but git refused to commit an agent's work: a hook failed, as a rule. Please mend the cause.",
    outputBlock(output),
    fenceNote,
    whereWork({ restored, run }),
    again(call)
  )

/** Something needs a person's consent. `message` says what and names the flag. */
export const consentNeeded = (message: string, call: DriveCommand): string =>
  paragraphs(
    "Your consent is needed. Nothing was done without it.",
    wordsBlock(message),
    `To allow it, call \`${program} ${call} ...\` again with the flag named above; the run remembers it. ` +
      "To refuse, do nothing."
  )

/** A task that no agent brought to an end that can be used. */
export interface BlockedTask {
  readonly call: DriveCommand
  readonly run: string
  readonly taskId: string
  /** Why its results could not be used. */
  readonly problems: ReadonlyArray<string>
  /** What its result says is wrong. */
  readonly issues: string | null
  /** The protected files that were changed. */
  readonly protectedFiles: ReadonlyArray<string>
  /** Whether the next call begins this work anew. */
  readonly isOver: boolean
}

const plans = " Look first at a plan among them: a task that says `done: true` counts as done, whoever wrote that."

/** An agent's result cannot be used, it says that work is left, or protected files were changed. */
export const taskBlocked = ({ call, isOver, issues, problems, protectedFiles, run, taskId }: BlockedTask): string =>
  paragraphs(
    `No agent brought the task ${
      oneLine(taskId)
    } to an end that can be used. Please look at what is left in the worktree.`,
    protectedFiles.length === 0
      ? ""
      : `Files that no agent may change were changed:\n\n${listOf(protectedFiles)}\n\n` +
        "Put them back (`undo` does), or begin a fresh run with `--fresh` where the change is right." +
        (call === "implement" ? plans : ""),
    problems.length === 0 ? "" : `What is wrong with the result:\n\n${listOf(problems)}`,
    issues === null || issues.trim() === "" ? "" : `The agent says that this is left:\n\n${wordsBlock(issues)}`,
    fenceNote,
    undoOf(run),
    isOver ? again(call) : pastRejected(call),
    byHand(call)
  )

/** An agent that failed. `message` is what it ended with, `remedy` what a person can do. */
interface FailedAgent {
  readonly call: DriveCommand
  readonly run: string
  readonly taskId: string
  readonly ending: string
  readonly message: string
  readonly remedy: string | null
  readonly report: FailedReport | null
  /** Whether its failure stands in the log as the last word on its task. */
  readonly isRejected: boolean
}

const reportParts = ({ problems, requirements, solutions, summary }: FailedReport): ReadonlyArray<string> => {
  const part = (name: string, text: string) => text.trim() === "" ? "" : `${name}:\n\n${wordsBlock(text)}`
  return [
    part("It reported", summary),
    part("What it was to do", requirements),
    part("What is in the way", problems),
    part("What it proposes", solutions)
  ]
}

/** An agent failed for good, or reported that it cannot do its task. */
export const agentFailed = ({ call, ending, isRejected, message, remedy, report, run, taskId }: FailedAgent): string =>
  paragraphs(
    `The agent for the task ${oneLine(taskId)} failed (${brief(ending, 60)}).`,
    remedy === null ? "" : `What you can do: ${brief(remedy, 400)}`,
    ...(report === null
      ? [message.trim() === "" ? "It said nothing." : `It ended with:\n\n${wordsBlock(message)}`]
      : reportParts(report)),
    fenceNote,
    `What it has done so far lies in the worktree. ${undoOf(run)}`,
    isRejected ? pastRejected(call) : again(call),
    byHand(call)
  )

/** Git's own state was changed beside an agent; `parts` names what. */
export const gitStateChanged = ({ call, parts, run }: {
  readonly call: DriveCommand
  readonly run: string
  readonly parts: ReadonlyArray<string>
}): string =>
  paragraphs(
    "Git's own state is not what it was before the agent worked. Only a person changes it, and nothing was put back. " +
      "These parts changed:",
    listOf(parts),
    "To look: `git status`, `git reflog`, `git log -5 --all`, `git stash list`, `git config --list --show-origin`, " +
      "and the directory that `git rev-parse --git-path hooks` names. Look at hooks before git runs them.",
    "Put back what you did not want, by hand.",
    `The files of the worktree are another matter. ${undoOf(run)}`,
    again(call)
  )
