// `npm run build [-- --portable]`: bundles src/main.ts into dist/ooda-codex-review.cjs, which needs the files beside it alone.
// What a command does not need is neither parsed nor run for it.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { beside, pack } from "./build/pack.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const file = join(root, "dist", "ooda-codex-review.cjs")
const entry = "./main.js"

// What every mark loads on its way, what reviewed events of Claude Code load of that, and what every call loads.
const ofMarks = ["src/program.ts", "src/cli/invocation.ts", "src/stepLayers.ts", "src/step/MarkStep.ts"]
const ofHooks = ["src/hookProgram.ts", "src/hook/SecondModel.live.ts", "src/hook/SessionFiles.live.ts"]
const ofAllCalls = ["src/main.ts"]

/** @typedef {Readonly<Record<string, ReadonlySet<string>>>} Groups */

/**
 * The chunks of the bundle. The modules of each group are one of them, of its name.
 * @param {Groups} groups
 */
const bundled = async (groups) => {
  const bundle = await rolldown({
    cwd: root,
    input: { main: "src/main.ts" },
    platform: "node",
    // Modules that are together may be of more use to others than their own exports say.
    preserveEntrySignatures: "allow-extension",
    transform: {
      define: { "Intl.Segmenter": "LaterSegmenter", "import.meta": "{}" },
      inject: { LaterSegmenter: [join(root, "scripts/build/LaterSegmenter.mjs"), "LaterSegmenter"] }
    }
  })
  const { output } = await bundle.generate({
    format: "cjs",
    minify: true,
    // Comments for bundlers are of no use any more, and every start would read them.
    comments: { annotation: false, jsdoc: false },
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: Object.entries(groups).map(([name, ids]) => ({ name, test: (/** @type {string} */ id) => ids.has(id) }))
    }
  })
  const path = (/** @type {string} */ name) => `./${name}`
  return output.flatMap((part) => {
    if (part.type !== "chunk") return []
    const { code, facadeModuleId, fileName, imports, modules } = part
    return [{ name: path(fileName), code, needs: imports.map(path), of: facadeModuleId, modules: Object.keys(modules) }]
  })
}

/** @typedef {Awaited<ReturnType<typeof bundled>>[number]} Bundled */

/**
 * The modules that only a mark loads, and those that hooks load too: as one chunk each they are unpacked at once, and
 * call each other without a detour. The modules that are imported when the program runs keep chunks of their own, or
 * no program could import them.
 * @param {ReadonlyArray<Bundled>} chunks
 * @returns {Groups}
 */
const groupsOfMarks = (chunks) => {
  /** @param {ReadonlyArray<string>} files @returns {ReadonlySet<Bundled>} */
  const loaded = (files) => {
    const found = new Set(files.map((file) => {
      const chunk = chunks.find(({ modules }) => modules.includes(join(root, file)))
      if (chunk === undefined) throw new Error(`no chunk holds ${file}`)
      return chunk
    }))
    for (const { needs } of found) for (const one of chunks) if (needs.includes(one.name)) found.add(one)
    return found
  }
  const others = loaded(ofAllCalls)
  const hooks = loaded(ofHooks)
  const own = [...loaded(ofMarks)].filter((chunk) => !others.has(chunk))
  /** @param {ReadonlyArray<Bundled>} some */
  const idsOf = (some) => new Set(some.flatMap(({ modules, of }) => modules.filter((id) => id !== of)))
  return { together: idsOf(own.filter((one) => hooks.has(one))), marks: idsOf(own.filter((one) => !hooks.has(one))) }
}

/**
 * What this node compiles for a few steps in an empty repository, or null where they do not run. Only this very binary
 * will use it, so what is built for others goes without.
 * @param {ReadonlyArray<import("./build/pack.mjs").Chunk>} chunks
 * @returns {import("./build/pack.mjs").Compiled | null}
 */
const recorded = (chunks) => {
  const dir = mkdtempSync(join(tmpdir(), "ooda-build-"))
  const at = (/** @type {string} */ name) => join(dir, name)
  try {
    // Git sets such variables for its hooks to name the repository; a hook may run this build.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")))
    execFileSync("git", ["init", "--quiet", at("repo")], { env })
    writeFileSync(at("chunks.json"), JSON.stringify(chunks))
    const args = [join(root, "scripts/build/record.mjs"), at("chunks.json"), at("compiled.json"), at("state")]
    execFileSync(process.execPath, args, { cwd: at("repo"), env, stdio: ["ignore", "ignore", "pipe"] })
    return JSON.parse(readFileSync(at("compiled.json"), "utf8"))
  } catch (error) {
    console.warn(`without compiled code, so steps start more slowly: ${error instanceof Error ? error.message : error}`)
    return null
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const chunks = await bundled(groupsOfMarks(await bundled({ none: new Set() })))
const packed = pack(chunks, entry, process.argv.includes("--portable") ? null : recorded(chunks))
mkdirSync(dirname(file), { recursive: true })
// Each by a rename: a process that starts meanwhile finds whole files, of this build or of the one before.
const put = (/** @type {string} */ path, /** @type {string | Buffer} */ data) => {
  writeFileSync(`${path}.new`, data, { mode: 0o755 })
  renameSync(`${path}.new`, path)
}
if (packed.compiled === null) rmSync(file + beside.compiled, { force: true })
else put(file + beside.compiled, packed.compiled)
put(file + beside.chunks, packed.chunks)
put(file, packed.text)
const size = (packed.text.length + packed.chunks.length) / 1000
console.log(`${file}: ${chunks.length} chunks, ${size.toFixed(0)} kB`)
