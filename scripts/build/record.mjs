// record: runs a few steps of the program and writes what V8 has compiled for them, as a child of the build.
// The very scripts that are packed, on the very binary of node that runs this; nothing else fits.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import { script, thisBinary } from "./pack.mjs"

const [, , input = "", output = "", state = ""] = process.argv
const require = createRequire(import.meta.url)
/** @type {ReadonlyArray<import("./pack.mjs").Chunk>} */
const chunks = JSON.parse(readFileSync(input, "utf8"))

/** @type {Map<string, { readonly compiled: Script, readonly module: { exports: Record<string, unknown> } }>} */
const loaded = new Map()
/** @param {string} name @returns {unknown} */
const load = (name) => {
  const known = loaded.get(name)
  if (known !== undefined) return known.module.exports
  const chunk = chunks.find((one) => one.name === name)
  if (chunk === undefined) return require(name)
  const compiled = new Script(script(chunk), { filename: name })
  const module = { exports: {} }
  loaded.set(name, { compiled, module })
  compiled.runInThisContext()(module.exports, load, module)
  return module.exports
}

// The entry shares code with the others, and running it runs the program: for its version, which needs nothing else.
process.argv.splice(1, process.argv.length, "program", "--version")
const { exit } = process
const ended = new Promise((resolve) => Object.assign(process, { exit: resolve }))
load("./main.js")
await ended
Object.assign(process, { exit })

// What a mark needs, on a new and on an old run, and no more: whatever is recorded here is unpacked for every mark, and
// other steps wait for minutes.
const marks = ["--restart-from-floor", "--mark-retro-changes=x", "--mark-address-passed"]
const { main } = /** @type {{ main: typeof import("../../src/program.ts").main }} */ (load("./program.js"))
const caller = { cwd: process.cwd(), env: process.env }
for (const last of marks) {
  const { code, stderr } = await main(["--uncommitted", "--state-root", state, last], caller)
  if (code > 7) throw new Error(`${last} ended with ${code}: ${stderr}`)
}

// And what the hook needs for an edit, which is felt at every edit of a session. There is no codex of that name.
const { answerRequest } =
  /** @type {{ answerRequest: typeof import("../../src/hookProgram.ts").answerRequest }} */ (load("./hookProgram.js"))
const quiet = { gate: /** @type {const} */ ("review"), quiet: true, model: null, fastModel: null, log: null }
const texts = { event: "PostToolUse", session: "s", turn: "t", cwd: "", transcript: "", error: "", lastMessage: "" }
const edit = {
  input: {
    ...texts,
    tool: "Edit",
    toolInput: { file_path: "a", new_string: "b" },
    toolResponse: null,
    interrupted: false,
    stopActive: false,
    tasks: [],
    instructions: ""
  },
  flags: { ...quiet, deadline: 90_000, codexBin: "./none", stateRoot: state },
  action: /** @type {const} */ ("code_change"),
  ...caller,
  age: 0
}
for (let time = 0; time < 2; time++) await answerRequest(edit, new AbortController().signal)

const compiled = () => [...loaded].map(([name, { compiled }]) => [name, compiled.createCachedData().toString("base64")])
const ofSteps = compiled()

// And what a reader of a run loads beside that. The run is one of the golden logs, with a driver.
const id = "20261127T093044Z-304935143-p29966"
const place = join(state, "repo-noremote/uncommitted/runs", id)
mkdirSync(place, { recursive: true, mode: 0o700 })
const golden = (/** @type {string} */ name) => fileURLToPath(new URL(`../../fixtures/logs/${name}`, import.meta.url))
copyFileSync(golden("person.v1.jsonl"), join(place, "manifest.jsonl"))
copyFileSync(golden("person.v1.converge.jsonl"), join(place, "converge.jsonl"))
for (const command of [["status", id], ["runs"], ["findings", id]]) {
  const { code, stderr } = await main([...command, "--state-root", state], caller)
  if (code > 1) throw new Error(`${command[0]} ended with ${code}: ${stderr}`)
}

/** @type {Record<string, string>} */
const data = { ...Object.fromEntries(compiled()), ...Object.fromEntries(ofSteps) }
// The entry is compiled with the file.
delete data["./main.js"]
writeFileSync(output, JSON.stringify({ binary: thisBinary(), data }))
process.exit(0)
