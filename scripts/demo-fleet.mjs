// `npm run demo:fleet`: two workers with the real Codex CLI and a stand-in model, over a private PostgreSQL server, take
// three pull requests to their fixed points: a clean one, one whose defect is fixed by a push, and one whose worker is
// killed in mid-review. Exit 0 only when it came that way and the audits of the exported runs prove all three.
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { writeCodexHome } from "../fixtures/stand-in-model/codex-home.mjs"
import { endLeftovers } from "../fixtures/stand-in-model/leftovers.mjs"
import { reviewer } from "../fixtures/stand-in-model/reviewer.mjs"
import { startStandIn } from "../fixtures/stand-in-model/server.mjs"
import { pinnedCodex } from "../test/codex/install.mjs"
import { makeScratch } from "./demo/scratch.mjs"
import { say } from "./demo/show.mjs"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const CLI = join(ROOT, "dist", "ooda-codex-review.cjs")
const { programs, startServer, user } = await import(
  new URL("../node_modules/.cache/demo-postgres.mjs", import.meta.url).href
)

const BEFORE = "export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)\n"
const CLEAN = `${BEFORE}export const mean = (prices) => total(prices) / prices.length\n`
const DEFECT = `${BEFORE}export const most = (prices) => {
  let found = prices[0]
  for (let i = 0; i <= prices.length; i++) if (prices[i] > found) found = prices[i]
  return found
}
`

const { codex, version } = pinnedCodex(ROOT)
const start = Date.now()
const scratch = makeScratch({ committed: { "total.mjs": BEFORE }, staged: {} })
const directory = dirname(scratch.project)
// The model answers about the pull request whose worker is killed only once that is done: the review is in its middle.
/** @type {() => void} */
let letAnswer = () => {}
const killed = new Promise((resolve) => (letAnswer = () => resolve(undefined)))
const standIn = await startStandIn({
  policy: async (request) => {
    await (/<cwd>[^<]*\/killed-/.test(request.prompt) ? killed : pause(150))
    return reviewer(request)
  }
})
const server = await startServer(true)
const env = {
  ...scratch.environment,
  ...writeCodexHome({ directory: scratch.codexHome, url: standIn.url }),
  OODA_STORE: server.database("fleet")
}
/** @type {Map<string, import("node:child_process").ChildProcess>} */
const workers = new Map()
/** @type {Array<string>} */
const problems = []
/** @param {boolean} holds @param {string} otherwise */
const expect = (holds, otherwise) => void (holds || problems.push(otherwise))

/** Runs the program, shows what it says, and waits for it. @param {ReadonlyArray<string>} args */
const call = async (...args) => {
  say(`\n$ ooda-codex-review ${args.join(" ").replaceAll(directory, "$DEMO")}`)
  const child = spawn(process.execPath, [CLI, ...args], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] })
  let text = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += part))
  const exit = await new Promise((resolve) => child.on("close", resolve))
  say(`${text.replaceAll(directory, "$DEMO").replace(/^/gm, "  ").trimEnd()}\n  exit ${exit}`)
  return { exit, text }
}

/** @param {string} name */
const hire = (name) => {
  say(`\n$ ooda-codex-review fleet worker --name ${name} --capacity 2 --retro clean &`)
  const words = ["--name", name, "--capacity", "2", "--retro", "clean", "--codex-bin", codex]
  workers.set(
    name,
    spawn(process.execPath, [CLI, "fleet", "worker", ...words], { cwd: directory, env, stdio: "ignore" })
  )
}

/** Commits to a pull request of a repository, and submits it. @param {string} name @param {string} text */
const push = async (name, text) => {
  const author = join(directory, `${name}-author`)
  const bare = join(directory, `${name}.git`)
  /** @param {ReadonlyArray<string>} args */
  const git = (...args) => execFileSync("git", args, { cwd: author, env, encoding: "utf8", stdio: "pipe" }).trim()
  if (!existsSync(bare)) {
    execFileSync("git", ["clone", "-q", "--bare", scratch.project, bare], { env })
    execFileSync("git", ["clone", "-q", bare, author], { env, stdio: "pipe" })
    git("checkout", "-q", "-b", "change")
  }
  writeFileSync(join(author, "total.mjs"), text)
  git("commit", "-qam", "Change")
  git("push", "-q", "origin", "HEAD:refs/pull/1/head")
  const commits = ["--head", git("rev-parse", "HEAD"), "--base", git("rev-parse", "main")]
  return await call(
    "fleet",
    "submit",
    "--repo",
    `file://${bare}`,
    "--pr",
    "1",
    ...commits,
    "--ceiling",
    "medium",
    "-n",
    "2"
  )
}
/** @param {string} name */
const waitFor = (name) => call("fleet", "wait", `file://${join(directory, `${name}.git`)}#1`, "--step-timeout", "100s")

/** Whether codex itself has begun to report what it does, in the place of a delivery. @param {string} place */
const hasBegun = (place) =>
  readdirSync(place, { recursive: true, encoding: "utf8" })
    .some((path) => path.endsWith(".log") && readFileSync(join(place, path), "utf8").includes("OpenAI Codex"))

/** The worker on which codex reviews a repository now. @param {string} name @returns {Promise<string>} */
const reviewing = async (name) => {
  for (const end = Date.now() + 60_000; Date.now() < end; await pause(20)) {
    for (const worker of workers.keys()) {
      const place = join(directory, "work/workers", worker, "deliveries")
      for (const delivery of existsSync(place) ? readdirSync(place) : []) {
        const note = join(place, delivery, "delivery.json")
        const its = existsSync(note) && readFileSync(note, "utf8").includes(`"${name}-`)
        if (its && hasBegun(join(place, delivery))) return worker
      }
    }
  }
  throw new Error(`no delivery reviews ${name}`)
}

/** The reviews of a repository that were given to more than one worker: where each ended, and how often it was given.
 * @param {string} name @returns {ReadonlyArray<{ state: string, machine: string, deliveries: number }>} */
const givenAgain = (name) => {
  const text = execFileSync(
    join(programs(), "psql"),
    [
      "-h",
      server.directory,
      "-U",
      user,
      "-d",
      "fleet",
      "-At",
      "-c",
      `
      select jsonb_build_object('state', a.state, 'machine', a.machine, 'deliveries', a.deliveries)
      from ooda_attempt a join ooda_target t on t.id = a.target
      where t.repo_id like '${name}-%' and a.deliveries > 1`
    ],
    { encoding: "utf8" }
  )
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
}

const play = async () => {
  say(`Codex CLI ${version}, a stand-in model at ${standIn.url}, a private PostgreSQL server`)
  mkdirSync(join(directory, "work"), { mode: 0o700 })
  await call("fleet", "init", "--work", join(directory, "work"), "--local", "--lease", "3s")
  for (const name of ["one", "two"]) hire(name)
  await push("killed", CLEAN)
  const victim = await reviewing("killed")
  say(`\nWorker ${victim} is killed while codex reviews.`)
  workers.get(victim)?.kill("SIGKILL")
  letAnswer()
  await push("clean", CLEAN)
  await push("defect", DEFECT)
  const found = await waitFor("defect")
  expect(found.exit === 5 && /^HandoffAgent: AddressBatch$/m.test(found.text), "the defect was not found")
  say("\nIts author fixes it and pushes.")
  await push("defect", DEFECT.replace("i <= prices.length", "i < prices.length"))
  for (const name of ["clean", "defect", "killed"]) {
    expect((await waitFor(name)).exit === 0, `${name} has come to no fixed point`)
  }
  const again = givenAgain("killed")
  for (const { deliveries, machine, state } of again) {
    say(`\nA review that worker ${victim} had begun was given ${deliveries} times, and ${state} on worker ${machine}.`)
    expect(machine !== victim && state === "exited", `a review that was given again ${state} on ${machine}`)
  }
  expect(again.length > 0, `no review of worker ${victim} was given to another`)
  await call("fleet", "status")
  const { targets } = JSON.parse((await call("fleet", "status", "--json")).text)
  for (const { run: { run } } of targets) {
    const to = join(directory, "export", run)
    await call("fleet", "export", run, to)
    const audit = await call("audit", run, "--state-root", to)
    expect(audit.exit === 0 && /\n {2}proven: /.test(audit.text), `${run} is not proven`)
  }
  expect(targets.length === 3, `${targets.length} pull requests`)
}

try {
  await play()
} catch (error) {
  problems.push(error instanceof Error ? error.message : String(error))
} finally {
  for (const child of workers.values()) child.kill("SIGTERM")
  await pause(500)
  for (const child of workers.values()) child.kill("SIGKILL")
  await endLeftovers(scratch.codexHome)
  await server.remove()
  await standIn.close()
  scratch.remove()
}
for (const problem of problems) say(`Not as expected: ${problem}`)
if (problems.length === 0) say("\nThree fixed points, each proven by the audit of its export.")
say(`${((Date.now() - start) / 1000).toFixed(1)} s`)
process.exitCode = problems.length === 0 ? 0 : 1
