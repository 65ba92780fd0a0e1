// What the streams contract says of every outcome, in one place: exit code, header, prompt rule, standard output.
// Both streams are compared whole; a line too many is a failure.
import { assert } from "vitest"
import type { Ended } from "./support.ts"

/** An outcome without a prompt: its header is all of standard error. Loop mode writes nothing to standard output. */
export const outcome = (ended: Ended, exit: number, header: string, stdout = ""): void =>
  assert.deepEqual(
    { exit: ended.exit, stderr: ended.stderr, stdout: ended.stdout },
    { exit, stderr: `${header}\n`, stdout }
  )

/** A side-effect invocation that ends in Idle after its one resolution line. */
export const idle = (ended: Ended, line: string): void => outcome(ended, 7, "Idle", `${line}\n`)

/** An outcome whose header carries text that is not fixed: matched, and alone on standard error. */
export const matching = (ended: Ended, exit: number, header: RegExp): void => {
  assert.strictEqual(ended.exit, exit, ended.stderr)
  assert.match(ended.header, header)
  assert.strictEqual(ended.stderr, `${ended.header}\n`)
  assert.strictEqual(ended.stdout, "")
}

/** `BinaryError: <message>`, exit 6, in one line. */
export const binaryError = (ended: Ended, message: RegExp = /./): void => {
  matching(ended, 6, /^BinaryError: \S/)
  assert.match(ended.header, message)
}

export interface Prompt {
  /** What follows `prompt: ` on its line. */
  readonly first: string
  /** The continuation lines, without their indentation of four spaces. */
  readonly rest: ReadonlyArray<string>
}

/** `HandoffAgent: <kind>` or `HandoffHuman: <kind>` with its indented prompt block. */
export const handoff = (ended: Ended, exit: 3 | 5, kind: string): Prompt => {
  assert.strictEqual(ended.exit, exit, ended.stderr)
  assert.strictEqual(ended.header, `${exit === 3 ? "HandoffHuman" : "HandoffAgent"}: ${kind}`)
  assert.strictEqual(ended.stdout, "")
  const [, prompt = "", ...rest] = ended.stderr.split("\n")
  assert.match(prompt, /^ {2}prompt: \S/)
  assert.strictEqual(rest.pop(), "", "standard error ends in a newline")
  for (const line of rest) assert.match(line, /^ {4}/, "continuation lines are indented by four spaces")
  return { first: prompt.slice("  prompt: ".length), rest: rest.map((line) => line.slice(4)) }
}

const FLAGS = [
  "--uncommitted",
  "--base",
  "--commit",
  "--pr",
  "--level",
  "--ceiling",
  "-n",
  "--max-iter",
  "--state-root",
  "--codex-bin",
  "--criteria",
  "--fresh",
  "--mark-retro-clean",
  "--mark-retro-changes",
  "--mark-address-passed",
  "--mark-address-failed",
  "--advance-level",
  "--drop-level",
  "--restart-from-floor",
  "-h",
  "--help"
]

/** The full multi-line usage block: it names every flag of the contract. */
export const usageBlock = (text: string): void => {
  assert.match(text, /usage/i)
  assert.isAbove(text.split("\n").length, 2, "the usage block has several lines")
  for (const flag of FLAGS) assert.match(text, new RegExp(`(^|[^-\\w])${flag}(?![\\w-])`, "m"), flag)
}

/** `--help`: usage on standard output, nothing on standard error. */
export const help = (ended: Ended): void => {
  assert.strictEqual(ended.exit, 0, ended.stderr)
  assert.strictEqual(ended.stderr, "")
  assert.match(ended.stdout, /usage/i)
}

/** The prompt of `HandoffAgent: AddressBatch`, byte for byte. */
export const addressPrompt = (count: number, level: string): string =>
  `Verify and address ${count} review(s) with issues at level ${level}. For each issue: real bug -> fix; ` +
  "false positive -> clarify code; design tradeoff -> document rationale. Then run tests."
