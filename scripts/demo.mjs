// `npm run demo`: one `converge` call, from a planted defect to the fixed point: the real Codex CLI, a stand-in model.
// Exit 0 only when it came the expected way, the audit proves the fixed point, and no process is left behind.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { agent, asksAgent } from "../fixtures/stand-in-model/agent.mjs"
import { writeCodexHome } from "../fixtures/stand-in-model/codex-home.mjs"
import { endLeftovers, settled } from "../fixtures/stand-in-model/leftovers.mjs"
import { reviewer } from "../fixtures/stand-in-model/reviewer.mjs"
import { startStandIn } from "../fixtures/stand-in-model/server.mjs"
import { pinnedCodex } from "../test/codex/install.mjs"
import { makeScratch } from "./demo/scratch.mjs"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const CLI = join(ROOT, "dist", "ooda-codex-review.cjs")

/** @param {string} text */
const say = (text) => void process.stdout.write(`${text}\n`)

/** @param {string} text */
const quoted = (text) => (/^[\w./=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** @type {import("../fixtures/stand-in-model/server.mjs").Policy} */
const policy = (request) => (asksAgent(request.turn.prompt) ? agent()(request) : reviewer(request))

/** Runs the program and shows each line as it comes.
 * @param {ReadonlyArray<string>} args @param {ReadonlyArray<string>} hidden arguments that only this machine needs
 * @param {{ readonly cwd: string, readonly env: Readonly<Record<string, string>> }} where
 * @param {RegExp} [shown] the lines that are shown
 * @returns {Promise<{ readonly exit: number | null, readonly lines: ReadonlyArray<string> }>} */
const call = async (args, hidden, where, shown = /^/) => {
  say(`\n$ ooda-codex-review ${args.map(quoted).join(" ")}`)
  const start = Date.now()
  const child = spawn(process.execPath, [CLI, ...args, ...hidden], { ...where, stdio: ["ignore", "pipe", "pipe"] })
  const limit = setTimeout(() => child.kill("SIGINT"), 120_000)
  /** @type {Array<string>} */
  const lines = []
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on("line", (line) => {
      lines.push(line)
      if (shown.test(line)) say(`  ${line}`)
    })
  }
  const exit = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve))
  clearTimeout(limit)
  say(`  exit ${exit} (${((Date.now() - start) / 1000).toFixed(1)} s)`)
  return { exit, lines }
}

/** @param {string} codex @param {import("./demo/scratch.mjs").Scratch} scratch
 * @param {import("../fixtures/stand-in-model/server.mjs").StandIn} standIn
 * @returns {Promise<ReadonlyArray<string>>} what did not go as expected */
const demonstrate = async (codex, scratch, standIn) => {
  const env = { ...scratch.environment, ...writeCodexHome({ directory: scratch.codexHome, url: standIn.url }) }
  const where = { cwd: scratch.project, env }
  const state = ["--state-root", scratch.stateRoot]
  const converge = ["converge", "--uncommitted", "-n", "3", "--test", "node --test"]
  const driven = await call(converge, [...state, "--codex-bin", codex], where)
  const changed = scratch.changed()
  say(`\nWhat the agent changed:\n${changed.trimEnd().replace(/^/gm, "  ")}`)
  const runs = await call(["runs"], state, where)
  const replay = await call(["replay"], state, where, /^ +d\d+ /)
  const audit = await call(["audit"], state, where)
  const asked = standIn.requests.filter(({ turn }) => turn.outputs.length === 0)
  const agents = asked.filter(({ turn }) => asksAgent(turn.prompt)).length
  say(`\n${asked.length - agents} reviews and ${agents} agents sent ${standIn.requests.length} requests to the model`)
  /** @type {ReadonlyArray<readonly [boolean, string]>} */
  const expected = [
    [driven.exit === 0 && driven.lines.at(-1) === "DoneFixedPoint", "converge did not reach the fixed point"],
    [/^\+.*index < prices\.length/m.test(changed), "the planted defect is still there"],
    [changed.includes("test/dearest.test.mjs"), "the agent wrote no test"],
    [agents === 2, "two agents were expected: one that fixes, one that looks for patterns"],
    [runs.exit === 0 && replay.exit === 0, "the run cannot be shown"],
    [
      audit.exit === 0 && audit.lines.some((line) => /^ +proven: fixed point at xhigh/.test(line)),
      "the audit does not prove the fixed point"
    ]
  ]
  return expected.flatMap(([holds, otherwise]) => (holds ? [] : [otherwise]))
}

const main = async () => {
  if (!existsSync(CLI)) throw new Error(`${CLI} is missing: npm run build`)
  const { codex, version } = pinnedCodex(ROOT)
  const start = Date.now()
  const scratch = makeScratch()
  const standIn = await startStandIn({ policy })
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
    const wrong = await demonstrate(codex, scratch, standIn)
    const left = await settled(scratch.codexHome, 5_000)
    const problems = left.length === 0 ? wrong : [...wrong, `${left.length} processes are left`]
    for (const problem of problems) say(`Not as expected: ${problem}`)
    if (problems.length === 0) say("The fixed point was reached and is proven, and no process is left.")
    say(`${((Date.now() - start) / 1000).toFixed(1)} s`)
    return problems.length === 0 ? 0 : 1
  } finally {
    await cleanUp()
  }
}

process.exitCode = await main().catch((error) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`)
  return 1
})
