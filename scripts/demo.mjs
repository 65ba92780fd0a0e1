// `npm run demo`: a planted defect, the real Codex CLI, a stand-in model, and the README's recipe to the fixed point.
// Exit 0 only when every step was the expected one, the audit proves the fixed point, and no process is left behind.
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { writeCodexHome } from "../fixtures/stand-in-model/codex-home.mjs"
import { endLeftovers, settled } from "../fixtures/stand-in-model/leftovers.mjs"
import { reviewer } from "../fixtures/stand-in-model/reviewer.mjs"
import { startStandIn } from "../fixtures/stand-in-model/server.mjs"
import { pinnedCodex } from "../test/codex/install.mjs"
import { addressFindings, lookForPatterns } from "./demo/agent.mjs"
import { printStep, say } from "./demo/print.mjs"
import { converge, headerOf, stepRunner } from "./demo/recipe.mjs"
import { makeScratch, runProjectTests } from "./demo/scratch.mjs"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const CLI = join(ROOT, "dist", "ooda-codex-review.cjs")
const REVIEWERS = 3

/** One line per step: what was called, its exit code and header, and the levels its reviews ran at. */
const EXPECTED = [
  "loop -> 5 HandoffAgent: AddressBatch, reviewed at low",
  "--mark-address-passed -> 7 Idle",
  "loop -> 5 HandoffAgent: Retrospective, reviewed at low",
  "--mark-retro-clean -> 7 Idle",
  "loop -> 0 DoneFixedPoint, reviewed at medium+high+xhigh",
  "audit -> 0"
]

/** @param {string} codex @param {import("./demo/scratch.mjs").Scratch} scratch
 * @param {import("../fixtures/stand-in-model/server.mjs").StandIn} standIn @returns {Promise<ReadonlyArray<string>>} */
const demonstrate = async (codex, scratch, standIn) => {
  const env = { ...scratch.environment, ...writeCodexHome({ directory: scratch.codexHome, url: standIn.url }) }
  const cli = stepRunner({ command: process.execPath, prefix: [CLI], cwd: scratch.project, env, limitMs: 120_000 })
  const state = ["--state-root", scratch.stateRoot]
  const args = ["--uncommitted", "--strict", "--step-timeout", "8m", "-n", String(REVIEWERS), ...state]
  args.push("--codex-bin", codex)

  /** @type {Array<string>} */
  const trail = []
  /** @param {ReadonlyArray<string>} argv */
  const run = async (argv) => {
    const before = standIn.requests.length
    const start = Date.now()
    const step = await cli(argv)
    const first = standIn.requests.slice(before).filter(({ outputs }) => outputs.length === 0)
    const levels = [...new Set(first.map(({ effort }) => effort))]
    const level = levels.join("+")
    const due = levels.length * REVIEWERS
    if (first.length !== due) throw new Error(`${first.length} reviews at ${level}, expected ${due}`)
    printStep(step, level, Date.now() - start)
    const called = argv.find((arg) => arg.startsWith("--mark-")) ?? "loop"
    trail.push(`${called} -> ${step.exit} ${headerOf(step.stderr)}${level === "" ? "" : `, reviewed at ${level}`}`)
    return step
  }
  const address = (/** @type {string} */ prompt) => {
    say(`  prompt: ${prompt}`)
    const { after, before, findings, place } = addressFindings(prompt, scratch.project)
    say(`  agent: read ${findings}\n  agent: ${place}: ${before}\n  agent: ${place}: ${after}`)
  }
  const tests = () => {
    const result = runProjectTests(scratch)
    say(`  tests: ${result.passed ? "passed" : "failed"} (${result.summary})`)
    return result
  }
  const retrospect = (/** @type {string} */ prompt) => {
    say(`  prompt: ${prompt}`)
    const { history, patterns } = lookForPatterns(prompt)
    say(`  agent: read ${history}; ${patterns.length} pattern(s) to remove`)
    return patterns
  }
  if (tests().passed) throw new Error("the planted defect does not fail the project's tests")
  await converge({ run, address, runProjectTests: tests, retrospect, implement: () => undefined }, args, 12)
  const audit = await cli(["audit", ...state])
  say(`\n$ ooda-codex-review ${audit.argv.join(" ")}\n  exit ${audit.exit}\n${audit.stdout.trimEnd()}`)
  trail.push(`audit -> ${audit.exit}`)
  return trail
}

const main = async () => {
  if (!existsSync(CLI)) throw new Error(`${CLI} is missing: npm run build`)
  const { codex, version } = pinnedCodex(ROOT)
  const start = Date.now()
  const scratch = makeScratch()
  const standIn = await startStandIn({ policy: reviewer })
  const cleanUp = async () => {
    await endLeftovers(scratch.codexHome)
    await standIn.close()
    scratch.remove()
  }
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.once(signal, () => void cleanUp().finally(() => process.exit(1)))
  }
  try {
    say(`Codex CLI ${version}, a stand-in model at ${standIn.url}, a project in ${scratch.project}`)
    const trail = await demonstrate(codex, scratch, standIn)
    const left = await settled(scratch.codexHome, 5_000)
    const expected = trail.join("\n") === EXPECTED.join("\n")
    say(`\n${trail.length - 1} steps, ${standIn.requests.length} requests to the model, ${left.length} processes left`)
    say(expected ? "The fixed point was reached as expected." : `Expected:\n  ${EXPECTED.join("\n  ")}`)
    if (!expected) say(`Got:\n  ${trail.join("\n  ")}`)
    const refused = standIn.requests.flatMap(({ outputs }) => outputs).find(({ exitCode }) => exitCode !== 0)
    if (refused) say(`A command codex ran in its read-only sandbox failed: ${refused.text.trim()}`)
    say(`${((Date.now() - start) / 1000).toFixed(1)} s`)
    return expected && left.length === 0 ? 0 : 1
  } finally {
    await cleanUp()
  }
}

process.exitCode = await main().catch((error) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`)
  return 1
})
