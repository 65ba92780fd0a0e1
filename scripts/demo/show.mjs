// What the demonstrations share: a stand-in model, a scratch project, the program's calls as they are shown, the end.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { writeCodexHome } from "../../fixtures/stand-in-model/codex-home.mjs"
import { endLeftovers, settled } from "../../fixtures/stand-in-model/leftovers.mjs"
import { startStandIn } from "../../fixtures/stand-in-model/server.mjs"
import { pinnedCodex } from "../../test/codex/install.mjs"
import { makeScratch } from "./scratch.mjs"

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const CLI = join(ROOT, "dist", "ooda-codex-review.cjs")

/** @param {string} text */
export const say = (text) => void process.stdout.write(`${text}\n`)

/** @param {string} text */
const quoted = (text) => (/^[\w./=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** @typedef {{ readonly exit: number | null, readonly lines: ReadonlyArray<string> }} Called */

/** Runs the program and shows each line as it comes.
 * @param {ReadonlyArray<string>} args @param {ReadonlyArray<string>} hidden arguments that only this machine needs
 * @param {{ readonly cwd: string, readonly env: Readonly<Record<string, string>> }} where
 * @param {RegExp} shown the lines that are shown
 * @returns {Promise<Called>} */
const call = async (args, hidden, where, shown) => {
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

/**
 * @typedef {object} Stage
 * @property {import("./scratch.mjs").Scratch} scratch
 * @property {(args: ReadonlyArray<string>) => Promise<Called>} drive  a call that starts codex
 * @property {(args: ReadonlyArray<string>, shown?: RegExp) => Promise<Called>} call  any other
 * @property {() => ReadonlyArray<string>} asked  the prompt of every turn so far
 * @property {() => number} requests  how many requests the model got
 *
 * @typedef {readonly [boolean, string]} Expected  whether it holds, and what is said where it does not
 */

/** Plays a demonstration, and sets the exit code: 0 only when all went as expected and no process is left behind.
 * @param {object} play
 * @param {import("./scratch.mjs").Project} play.project
 * @param {import("../../fixtures/stand-in-model/server.mjs").Policy} play.policy
 * @param {(stage: Stage) => Promise<ReadonlyArray<Expected>>} play.act
 * @param {string} play.end  what is said when all went as expected
 * @returns {Promise<void>} */
export const show = async (play) => {
  process.exitCode = await shown(play).catch((error) => {
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  })
}

/** @param {Parameters<typeof show>[0]} play */
const shown = async ({ act, end, policy, project }) => {
  if (!existsSync(CLI)) throw new Error(`${CLI} is missing: npm run build`)
  const { codex, version } = pinnedCodex(ROOT)
  const start = Date.now()
  const scratch = makeScratch(project)
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
    const env = { ...scratch.environment, ...writeCodexHome({ directory: scratch.codexHome, url: standIn.url }) }
    const where = { cwd: scratch.project, env }
    const state = ["--state-root", scratch.stateRoot]
    const expected = await act({
      scratch,
      drive: (args) => call(args, [...state, "--codex-bin", codex], where, /^/),
      call: (args, lines = /^/) => call(args, state, where, lines),
      asked: () => standIn.requests.flatMap(({ turn }) => turn.outputs.length === 0 ? [turn.prompt] : []),
      requests: () => standIn.requests.length
    })
    const left = await settled(scratch.codexHome, 5_000)
    const wrong = expected.flatMap(([holds, otherwise]) => (holds ? [] : [otherwise]))
    const problems = left.length === 0 ? wrong : [...wrong, `${left.length} processes are left`]
    for (const problem of problems) say(`Not as expected: ${problem}`)
    if (problems.length === 0) say(end)
    say(`${((Date.now() - start) / 1000).toFixed(1)} s`)
    return problems.length === 0 ? 0 : 1
  } finally {
    await cleanUp()
  }
}
