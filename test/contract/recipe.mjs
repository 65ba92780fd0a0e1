// The recipe of docs/by-hand.md as a program: run the CLI with --strict, dispatch on the exit code, report back with a mark.
// It knows the contract and nothing else: what an agent does with a prompt is the caller's.

/**
 * @typedef {{ readonly argv: ReadonlyArray<string>, readonly exit: number | null, readonly stdout: string,
 *   readonly stderr: string }} Step
 *
 * @typedef {object} Orchestrator
 * @property {(args: ReadonlyArray<string>) => Promise<Step>} run
 * @property {(prompt: string) => void} address           fixes what the batch found
 * @property {() => { readonly passed: boolean, readonly summary: string }} runProjectTests
 * @property {(prompt: string) => ReadonlyArray<string>} retrospect  the patterns worth removing
 * @property {(patterns: ReadonlyArray<string>) => void} implement
 */

/** The first line, without its newline. @param {string} stderr */
export const headerOf = (stderr) => stderr.split("\n", 1)[0] ?? ""

/** The prompt and every line that stays indented below it. @param {string} stderr @returns {string} */
export const promptOf = (stderr) => {
  const lines = stderr.split("\n")
  const first = lines.findIndex((line) => line.startsWith("  prompt: "))
  if (first < 0) return ""
  const length = lines.slice(first + 1).findIndex((line) => !line.startsWith("   "))
  const rest = length < 0 ? lines.slice(first + 1) : lines.slice(first + 1, first + 1 + length)
  return [lines[first]?.slice("  prompt: ".length), ...rest].join("\n")
}

/** The arguments that the last line of a strict hand-off asks its mark to carry.
 * @param {string} prompt @returns {ReadonlyArray<string>} */
const answerOf = (prompt) => {
  const answer = /^ {4}Answer with: (--batch) (\S+)$/m.exec(prompt)
  if (answer === null) throw new Error("the hand-off does not say which batch its mark answers")
  return answer.slice(1)
}

/** Reports back. A refused mark changed nothing: the next step says what the run waits for now. Every other exit that
 * the contract does not promise for this mark ends the recipe.
 * @param {Orchestrator} orchestrator @param {ReadonlyArray<string>} args @param {ReadonlyArray<number>} expected
 * @returns {Promise<boolean>} whether to call the loop again */
const mark = async ({ run }, args, expected) => {
  const { exit, stderr } = await run(args)
  if (exit === 6) return headerOf(stderr).startsWith("BinaryError: mark refused")
  return exit === 7 && expected.includes(7)
}

/** One HandoffAgent. @param {Orchestrator} orchestrator @param {ReadonlyArray<string>} args @param {string} stderr
 * @returns {Promise<boolean>} whether to call the loop again */
const handoff = async (orchestrator, args, stderr) => {
  const prompt = promptOf(stderr)
  const answered = [...args, ...answerOf(prompt)]
  switch (headerOf(stderr)) {
    case "HandoffAgent: AddressBatch": {
      orchestrator.address(prompt)
      const tests = orchestrator.runProjectTests()
      if (tests.passed) return mark(orchestrator, [...answered, "--mark-address-passed"], [7])
      return mark(orchestrator, [...answered, "--mark-address-failed", tests.summary], [3])
    }
    case "HandoffAgent: Retrospective": {
      const patterns = orchestrator.retrospect(prompt)
      if (patterns.length === 0) return mark(orchestrator, [...answered, "--mark-retro-clean"], [0, 7])
      orchestrator.implement(patterns)
      return mark(orchestrator, [...answered, "--mark-retro-changes", patterns.join("; ")], [7])
    }
    default:
      return false
  }
}

/** Drives the loop until it halts. @param {Orchestrator} orchestrator
 * @param {ReadonlyArray<string>} args  the same for every invocation: target, --strict, level, ceiling
 * @param {number} limit  steps of the loop after which something is wrong @returns {Promise<void>} */
export const converge = async (orchestrator, args, limit) => {
  for (let step = 0; step < limit; step += 1) {
    const { exit, stderr } = await orchestrator.run(args)
    if (exit === 7 || exit === 8) continue
    if (exit !== 5 || !(await handoff(orchestrator, args, stderr))) return
  }
}
