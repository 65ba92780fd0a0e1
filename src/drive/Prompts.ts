// Prompts: what the prompts of all drivers share: the values of their holes, and the prompts that both drivers use.
// What agents, reviewers and tests wrote is in a fence or on one line of bounded length.
import type { ExpectedResult } from "../agent/Result.ts"
import { commandNotFound } from "./Tests.ts"
import { resultLines } from "../agent/ResultRetry.ts"
import { render } from "../prompts/Prompt.ts"
import { exactly } from "../text/Phrases.ts"
import { blockLine, fenced, lines, oneLine, tail } from "../text/Untrusted.ts"

// The most of a test's output and of an agent's own words in one prompt.
const bounds = { output: 16_000, words: 20_000 } as const

/** The end of a test's output as a fenced block. */
export const outputBlock = (output: string): string =>
  output.trim() === "" ? "It printed nothing." : `The end of its output:\n\n${fenced(tail(output, bounds.output))}`

/** What an agent said, as a fenced block of at most `most` characters. Where it is cut, a line after it says so. */
export const wordsBlock = (words: string, most: number = bounds.words): string =>
  fenced(words, most) + (words.length > most ? "\n\nCut here." : "")

/** How a test ended: `exit` is null where it was killed after `timeout` milliseconds. */
export const endOf = ({ exit, timeout }: { readonly exit: number | null; readonly timeout: number }): string =>
  exit === null ? `was killed after ${exactly(timeout)}` : `ended with exit status ${exit}`

/** What a person gave is an instruction, so it has no fence: its lines are indented, and none of them is cut. */
export const indented = (texts: ReadonlyArray<string>): string =>
  texts.flatMap((text) => lines(text).map((line) => line === "" ? "" : `    ${blockLine(line)}`)).join("\n")

/** The rules of a project for its agents: the tests to pass, and the files not to touch. */
export interface ProjectRules {
  readonly tests: ReadonlyArray<string>
  readonly protect: ReadonlyArray<string>
}

/** The holes for the rules of a project. */
export const projectHoles = ({ protect, tests }: ProjectRules) => ({
  tests: indented(tests),
  protect: indented(protect)
})

/** The holes for the form of the result of a task. */
export const resultHoles = ({ role, taskId }: ExpectedResult) => ({
  result: resultLines({ role, taskId: oneLine(taskId) }).join("\n"),
  worker: role === "worker" ? role : ""
})

/** The hole for the answers to findings; empty where no answers are asked for. */
export const answerHoles = (fingerprints: ReadonlyArray<string>) => ({ fingerprints: fingerprints.join(", ") })

// The prompts for a worker whose tests are red, whose work git refused, or who says that something is left.

/** How an agent continues its work. */
interface Again {
  readonly taskId: string
  /** Which attempt this is, and how many there are. */
  readonly attempt: number
  readonly of: number
  /** The findings of a round, whose answers are asked for again; empty if no answers are asked for. */
  readonly fingerprints: ReadonlyArray<string>
  /** Whether the agent knows nothing of the round: then the prompt of the round is in front of this one. */
  readonly whole: boolean
}

/** A red test. `exit` is null where it was killed after `timeout` milliseconds; `changed`: the code changed meanwhile. */
export interface RedTest {
  readonly command: string
  readonly exit: number | null
  readonly timeout: number
  readonly changed: boolean
}

interface FixTestsRequest extends Again, RedTest {
  /** The end of the output. */
  readonly tail: string
}

const fixPrompt = (asked: Again, problem: string, output: string): string =>
  render("fix-tests", {
    whole: asked.whole ? "whole" : "",
    problem,
    output: outputBlock(output),
    attempt: String(asked.attempt),
    of: String(asked.of),
    ...resultHoles({ role: "worker", taskId: asked.taskId }),
    ...answerHoles(asked.fingerprints)
  })

/** What is wrong with a red test. A test counts for the code that it ran on, so none counts while the code changes. */
export const redLine = (red: RedTest): string =>
  red.changed
    ? `The code changed while this test ran, three times in a row:\n\n${wordsBlock(red.command)}\n\n` +
      "A test counts only for code that does not change while it runs. If the test itself writes files, make it " +
      "write them outside the worktree, or make git ignore them."
    : `This test ${endOf(red)}, ${red.exit === commandNotFound ? "command not found" : "twice in a row"}:\n\n${
      wordsBlock(red.command)
    }`

/** Asks an agent to fix the tests that are red after its work. */
export const fixTestsPrompt = (asked: FixTestsRequest): string =>
  fixPrompt(asked, `The tests are red after it. ${redLine(asked)}`, asked.tail)

/** Asks an agent to fix what made git refuse the commit, usually a hook. */
export const fixCommitPrompt = (asked: Again & { readonly output: string }): string =>
  fixPrompt(asked, "The tests pass, but git refused to commit the work, probably because a hook failed.", asked.output)

/** What a worker itself said was left. */
interface FinishRequest {
  readonly taskId: string
  readonly issues: string
  readonly fingerprints: ReadonlyArray<string>
}

/** Asks a worker, on its own thread or behind the whole prompt, to do what it said was left. */
export const finishPrompt = ({ fingerprints, issues, taskId }: FinishRequest): string =>
  render("finish", {
    issues: wordsBlock(issues),
    ...resultHoles({ role: "worker", taskId }),
    ...answerHoles(fingerprints)
  })
