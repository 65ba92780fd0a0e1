// `npm run test:mutants`: breaks the core on purpose, one small way at a time, and demands that a test fails each time.
// Mutants live in a temporary copy; a mutant that does not apply or does not load counts as a failure.
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { dirname, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

/** @typedef {{ name: string, find: string, replace: string }} Mutant */
/** @typedef {{ file: string, tests: Array<string>, laws: Array<string>, mutants: Array<Mutant> }} Group */
/** @typedef {Mutant & { id: string, file: string, tests: Array<string>, laws: Array<string> }} Planted */
/** @typedef {{ _tag: "Killed", by: string } | { _tag: "Survived" } | { _tag: "Broken", why: string }} Fate */
/** @typedef {{ status: string, fullName: string }} Assertion */
/** @typedef {{ name: string, message: string, assertionResults: Array<Assertion> }} FileResult */

const root = dirname(dirname(fileURLToPath(import.meta.url)))
// A mutant may loop forever; a run of all tests of all mutants takes a small part of this.
const limit = 40 * 60_000
// MUTANTS_ONE_IN=N runs the tests of every N-th mutant from a random start; all are checked to apply.
const oneIn = Number(process.env["MUTANTS_ONE_IN"] ?? "1")
const first = Math.floor(Math.random() * oneIn)
if (!Number.isInteger(oneIn) || oneIn < 1) throw new Error(`MUTANTS_ONE_IN is not a whole number: ${oneIn}`)

/** @param {string} copy */
const copyTree = (copy) => {
  for (const part of ["src", "property", "test/support", "test/unit"]) {
    cpSync(join(root, part), join(copy, part), { recursive: true })
  }
  for (const part of ["agents", "attestations", "hook", "plans", "prompts", "redaction", "verdicts"]) {
    cpSync(join(root, "fixtures", part), join(copy, "fixtures", part), { recursive: true })
  }
}

/**
 * Runs test files in the copies with one vitest, with fixed seeds, and gives the results by file.
 * @param {string} scratch @param {ReadonlyArray<string>} files @param {boolean} quick whether the slow cases are skipped
 * @returns {Promise<Map<string, FileResult>>}
 */
const runTests = async (scratch, files, quick) => {
  if (files.length === 0) return new Map()
  const report = join(scratch, "report.json")
  rmSync(report, { force: true })
  const threads = Math.max(1, Math.min(4, availableParallelism()))
  const config = {
    cacheDir: join(scratch, "cache"),
    test: {
      include: files,
      setupFiles: [join(scratch, "seed.mjs")],
      pool: "threads",
      isolate: false,
      maxWorkers: threads,
      tags: [{ name: "slow" }],
      // A test that hangs because of a mutant holds up the others too.
      testTimeout: 150_000,
      reporters: ["json"],
      outputFile: report
    }
  }
  writeFileSync(join(scratch, "vitest.config.mjs"), `export default ${JSON.stringify(config)}\n`)
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const child = spawn(process.execPath, [
    vitest,
    "run",
    "--root",
    scratch,
    ...(quick ? ["--tags-filter", "!slow"] : [])
  ], {
    cwd: scratch,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, CI: "1" },
    detached: true
  })
  let errors = ""
  child.stderr.on("data", (chunk) => {
    errors = (errors + chunk).slice(-4000)
  })
  let late = false
  const timer = setTimeout(() => {
    late = true
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
  }, limit)
  await new Promise((resolve) => child.once("close", resolve))
  clearTimeout(timer)
  if (late) throw new Error("the tests of the mutants did not end")
  /** @type {{ testResults: Array<FileResult> }} */
  const { testResults } = JSON.parse(readReport(report, errors))
  return new Map(testResults.map((result) => [relative(scratch, result.name).split(sep).join("/"), result]))
}

/** @param {string} report @param {string} errors */
const readReport = (report, errors) => {
  try {
    return readFileSync(report, "utf8")
  } catch {
    throw new Error(`vitest left no report:\n${errors}`)
  }
}

/** @param {FileResult | undefined} result */
const hasSkipped = (result) => result?.assertionResults.some(({ status }) => status !== "passed") ?? false

/** @param {string} id @param {ReadonlyArray<string>} tests @param {Map<string, FileResult>} results @returns {Fate} */
const fateOf = (id, tests, results) => {
  for (const test of tests) {
    const result = results.get(`${id}/${test}`)
    if (result === undefined) return { _tag: "Broken", why: `${test} did not run` }
    const failed = result.assertionResults.find(({ status }) => status === "failed")
    if (failed !== undefined) return { _tag: "Killed", by: `${test.replace(/^.*\//, "")}: ${failed.fullName}` }
    if (result.assertionResults.length === 0) {
      return { _tag: "Broken", why: result.message.split("\n")[0] ?? "no tests" }
    }
  }
  return { _tag: "Survived" }
}

/**
 * A pattern that finds a text wherever the formatter broke its lines: space may surround every character that is not
 * part of a word. @param {string} text
 */
const looselySpaced = (text) => {
  const tokens = text.match(/\w+|[^\w\s]/g) ?? []
  const parts = tokens.map((token, i) => {
    const apart = /\w$/.test(tokens[i - 1] ?? "") && /^\w/.test(token) ? "\\s+" : "\\s*"
    return (i === 0 ? "" : apart) + token.replace(/\W/g, "\\$&")
  })
  return new RegExp(parts.join(""), "g")
}

/** @typedef {Map<string, Array<string>>} Edges */

/**
 * The imports and importers of each file of a copy. @param {string} copy @returns {{ imports: Edges, importers: Edges }}
 */
const importsIn = (copy) => {
  /** @type {Edges} */
  const imports = new Map()
  /** @type {Edges} */
  const importers = new Map()
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".ts")) continue
    const path = join(entry.parentPath, entry.name)
    const named = [...readFileSync(path, "utf8").matchAll(/(?:\bfrom|\bimport)[\s(]+"(\.[^"]+)"/g)]
    const file = relative(copy, path)
    const imported = named.map(([, name = ""]) => relative(copy, resolve(dirname(path), name)))
    imports.set(file, imported)
    for (const one of imported) importers.set(one, [...importers.get(one) ?? [], file])
  }
  return { imports, importers }
}

/** Some files, and all that they lead to. @param {ReadonlyArray<string>} files @param {Edges} edges */
const closure = (files, edges) => {
  const reached = new Set(files)
  for (const file of reached) for (const next of edges.get(file) ?? []) reached.add(next)
  return reached
}

/**
 * Copies some files of the intact tree and links everything around them. A module behind a link is the intact one,
 * so that it is loaded once for all mutants.
 * @param {string} intact @param {string} copy @param {ReadonlySet<string>} files
 */
const overlay = (intact, copy, files) => {
  const folders = new Set([""])
  for (const file of files) for (let at = dirname(file); at !== "."; at = dirname(at)) folders.add(at)
  for (const folder of folders) {
    mkdirSync(join(copy, folder), { recursive: true })
    for (const name of readdirSync(join(intact, folder))) {
      const path = join(folder, name)
      if (files.has(path)) cpSync(join(intact, path), join(copy, path))
      else if (!folders.has(path)) symlinkSync(join(intact, path), join(copy, path))
    }
  }
}

/**
 * Plants a mutant in its own copy, which holds what lies between it and its tests.
 * @param {string} scratch @param {ReturnType<typeof importsIn>} edges @param {Planted} mutant @returns {string | null}
 */
const plant = (scratch, { importers, imports }, { file, find, id, laws, replace, tests }) => {
  const source = readFileSync(join(root, file), "utf8")
  const place = looselySpaced(find)
  const found = source.match(place)?.length ?? 0
  if (found !== 1) return `its text is found ${found} times in ${file}, not once`
  const above = closure([file], importers)
  const untouched = [...tests, ...laws].find((test) => !above.has(test))
  if (untouched !== undefined) return `${untouched} does not import it`
  const below = closure([...tests, ...laws], imports)
  overlay(join(scratch, "intact"), join(scratch, id), new Set([...above].filter((one) => below.has(one))))
  writeFileSync(join(scratch, id, file), source.replace(place, () => replace))
  return null
}

/** @param {string} scratch @param {ReadonlyArray<Planted>} mutants @returns {Promise<Map<string, Fate>>} */
const decideFates = async (scratch, mutants) => {
  /** @type {Map<string, Fate>} */
  const fates = new Map()
  const intact = join(scratch, "intact")
  copyTree(intact)
  const edges = importsIn(intact)
  for (const mutant of mutants) {
    const problem = plant(scratch, edges, mutant)
    if (problem !== null) fates.set(mutant.id, { _tag: "Broken", why: problem })
  }
  const drawn = mutants.filter((_, i) => i % oneIn === first)
  // The quick cases first; the slow ones and then the laws only for what these leave alive.
  const stages = /** @type {const} */ ([["tests", true], ["tests", false], ["laws", false]])
  /** @type {Set<string>} */
  let skipping = new Set()
  for (const [kind, quick] of stages) {
    const alive = drawn.filter(({ id }) => !fates.has(id) || fates.get(id)?._tag === "Survived")
      .filter((mutant) => kind === "laws" || quick || mutant.tests.some((test) => skipping.has(test)))
    const sound = [...new Set(alive.flatMap((mutant) => mutant[kind]))]
    const files = alive.flatMap((mutant) => mutant[kind].map((test) => `${mutant.id}/${test}`))
    const results = await runTests(scratch, [...sound.map((test) => `intact/${test}`), ...files], quick)
    const sane = fateOf("intact", sound, results)
    if (sane._tag !== "Survived") throw new Error(`without any mutant: ${JSON.stringify(sane)}`)
    for (const mutant of alive) fates.set(mutant.id, fateOf(mutant.id, mutant[kind], results))
    if (quick) skipping = new Set(sound.filter((test) => hasSkipped(results.get(`intact/${test}`))))
  }
  return fates
}

/** @param {Fate | undefined} fate */
const verdict = (fate) => {
  if (fate === undefined || fate._tag === "Survived") return "SURVIVED"
  return fate._tag === "Killed" ? `killed by ${fate.by}` : `BROKEN: ${fate.why}`
}

/** @param {ReadonlyArray<Planted>} mutants @param {Map<string, Fate>} fates */
const print = (mutants, fates) => {
  const width = Math.max(...mutants.map(({ name }) => name.length))
  let file = ""
  for (const mutant of mutants) {
    if (mutant.file !== file) console.log(`\n${mutant.file}`)
    file = mutant.file
    const line = `  ${mutant.name.padEnd(width)}  ${verdict(fates.get(mutant.id))}`
    console.log(line.length > 160 ? `${line.slice(0, 157)}...` : line)
  }
}

const main = async () => {
  /** @type {Array<Group>} */
  const groups = JSON.parse(readFileSync(join(root, "test", "mutants.json"), "utf8"))
  const wanted = process.argv[2]
  const mutants = groups
    .filter(({ file }) => wanted === undefined || file.includes(wanted))
    .flatMap(({ file, laws, mutants: list, tests }) => list.map((mutant) => ({ ...mutant, file, laws, tests })))
    .map((mutant, i) => ({ ...mutant, id: `m${String(i + 1).padStart(3, "0")}` }))
  const scratch = mkdtempSync(join(tmpdir(), "ooda-mutants-"))
  try {
    mkdirSync(join(scratch, "intact"))
    symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"), "dir")
    // The same cases each time: luck kills no mutant. One failed test of a file is enough; the rest is skipped.
    writeFileSync(
      join(scratch, "seed.mjs"),
      `import * as fc from "fast-check"
import { beforeEach } from "vitest"
fc.configureGlobal({ seed: 20300101 })
let failed = false
beforeEach((context) => {
  if (failed) context.skip()
  context.onTestFailed(() => {
    failed = true
  })
})
`
    )
    const fates = await decideFates(scratch, mutants)
    const decided = mutants.filter(({ id }) => fates.has(id))
    print(decided, fates)
    const passed = decided.filter(({ id }) => fates.get(id)?._tag === "Killed").length
    if (oneIn > 1) {
      console.log(`\n${decided.length} of ${mutants.length} mutants: one in ${oneIn}, from number ${first + 1} on`)
    }
    console.log(`\n${passed} passed, ${decided.length - passed} failed`)
    process.exitCode = passed === decided.length && passed > 0 ? 0 : 1
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

await main()
