// package: what npm packs, installed into empty projects: its files, its two entries, its CLI, and every example.
// What is tested is the tarball; no source of the checkout is imported here.
// @module-tag slow
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { blocks, compile, fakeCodex, inRegistry, output, pack, project, projectBy, scratch } from "./project.ts"

// A build, two installations and a compilation on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const { dir, remove } = scratch()
afterAll(remove)

let packed: Awaited<ReturnType<typeof pack>>
beforeAll(async () => {
  packed = await pack(dir)
})

describe("the tarball", () => {
  const plain = [
    ".claude-plugin/marketplace.json",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist/ooda-codex-review.cjs",
    "dist/ooda-codex-review.cjs.chunks",
    "package.json",
    "plugin/.claude-plugin/plugin.json"
  ]

  it("holds the CLI, the library with its types, the docs, the plugin, and nothing else", () => {
    const others = packed.files.filter((path) => !plain.includes(path))
    assert.includeMembers([...packed.files], plain)
    assert.deepStrictEqual(
      others.filter((path) =>
        !/^(docs\/.*\.md|docs\/report\.png|docs\/schemas\/\w+\.json|dist\/lib\/.*\.(js|d\.ts)|plugin\/.*\.(md|json))$/
          .test(path)
      ),
      []
    )
    assert.notInclude(packed.files, "dist/lib/stale.js")
  })

  it("has types beside every module, and none of the command line's modules", () => {
    const modules = packed.files.filter((path) => path.endsWith(".js"))
    assert.includeMembers(modules, ["dist/lib/index.js", "dist/lib/testing.js"])
    assert.deepStrictEqual(modules.filter((path) => !packed.files.includes(path.replace(/\.js$/, ".d.ts"))), [])
    assert.deepStrictEqual(modules.filter((path) => /lib\/(cli\/|main|live)/.test(path)), [])
  })

  it("holds every page of docs/ that its README links to", () => {
    const readme = readFileSync(join(dir, "copy", "README.md"), "utf8")
    const pages = [...readme.matchAll(/\]\((docs\/[^)#]*)/g)].map(([, page]) => page ?? "")
    assert.isNotEmpty(pages)
    for (const page of pages) assert.isTrue(packed.files.some((path) => path.startsWith(page)), page)
  })
})

describe("without effect", () => {
  it("npx runs the CLI", async () => {
    const host = await project(join(dir, "cli"), packed.tarball, ["smol-toml", "yaml"])
    assert.isFalse(existsSync(join(host, "node_modules", "effect")))
    const { version } = JSON.parse(readFileSync(join(host, "node_modules/ooda-codex-review/package.json"), "utf8"))
    const printed = await output("npx", ["--no-install", "ooda-codex-review", "--version"], { cwd: host })
    assert.strictEqual(printed, `${version}\n`)
  })
})

describe("installed globally", () => {
  it("from a checkout, as the README says", async () => {
    const prefix = join(dir, "prefix")
    const bin = join(prefix, "bin", "ooda-codex-review")
    await inRegistry(join(dir, "copy"), packed.tarball, { npm_config_prefix: prefix }, [
      "npm pack",
      "npm install --global ./ooda-codex-review-*.tgz",
      `test "$(npx --yes ./ooda-codex-review-*.tgz --version)" = "$(${bin} --version)"`
    ])
    assert.match(await output(bin, ["--version"], { cwd: dir }), /^\d+\.\d+\.\d+\n$/)
  })
})

describe("beside effect", () => {
  let host: string
  let env: NodeJS.ProcessEnv
  const texts = blocks("embedding.md")
  const names = [...texts.keys()]
  beforeAll(async () => {
    host = await projectBy(join(dir, "host"), packed.tarball, [
      "npm install ooda-codex-review effect@4.1.0",
      // The library without its test kit needs nothing else.
      `test ! -e node_modules/fast-check && node --input-type=module -e 'await import("ooda-codex-review")'`,
      "npm install --save-dev fast-check@4"
    ])
    names.forEach((name, i) => writeFileSync(join(host, `example${i}.ts`), texts.get(name) ?? ""))
    const entries = ["ooda-codex-review", "ooda-codex-review/testing"].map((name) => `export * from "${name}"`)
    writeFileSync(join(host, "entries.ts"), `${entries.join("\n")}\n`)
    await compile(host)
    const at = (name: string) => join(dir, name)
    for (const name of ["repo", "tmp", "home"]) mkdirSync(at(name), { mode: 0o700 })
    env = {
      PATH: `${fakeCodex}${delimiter}${process.env["PATH"] ?? ""}`,
      HOME: at("home"),
      TMPDIR: at("tmp"),
      GIT_CONFIG_NOSYSTEM: "1"
    }
    const git = (...args: ReadonlyArray<string>) => output("git", args, { cwd: at("repo"), env })
    await git("init", "-q")
    await git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "One")
    writeFileSync(join(at("repo"), "new.txt"), "to be reviewed\n")
  })

  /** Runs the example of a section in the scratch repository. */
  const example = (name: string) => {
    assert.include(names, name)
    const file = join(host, "out", `example${names.indexOf(name)}.js`)
    return output(process.execPath, [file], { cwd: join(dir, "repo"), env })
  }

  it("has an example for each of the things that can be done, and all of them compile", () => {
    assert.lengthOf(names, 13)
    names.forEach((name, i) => assert.isTrue(existsSync(join(host, "out", `example${i}.js`)), name))
  })

  it("a step runs on this machine's layers", async () =>
    assert.strictEqual(await example("A step"), "HandoffAgent: Retrospective\n"))

  it("what an agent printed and said is judged", async () =>
    assert.strictEqual(await example("Agents"), "Done accept\n"))

  it("a plan file is read, or its problem reported", async () =>
    assert.strictEqual(
      await example("Plan files"),
      'line 4, column 11: tasks[0].done is "yes" [write true or false]\nFix the bound: true\n'
    ))

  it("an agent is run to its end and its result accepted", async () => {
    const printed = await example("Running agents")
    assert.match(printed, /^ThreadStarted\nTurnStarted\n/)
    assert.match(printed, /^accept$/m)
  })

  it("a run is driven to the fixed point", async () => {
    const printed = await example("Converging")
    assert.match(printed, /^2 round\(s\)\nDoneFixedPoint\n$/m)
  })

  it("a step logs its decisions to the host's logger", async () =>
    assert.match(await example("Logs and spans"), /^\w+\n$/))

  it("a step runs on the host's own ports", async () => {
    const printed = await example("Your own ports")
    assert.include(printed, "3 reviewer(s) at low\n")
    assert.match(printed, /^line 2: 4 event\(s\)$/m)
  })

  it("the runs are replayed and audited", async () => {
    const printed = await example("The past of a run")
    assert.match(printed, /^1 RunCreated low$/m)
    assert.strictEqual(printed.match(/: 0 finding\(s\), head \d+:[0-9a-f]{64}$/gm)?.length, 2)
  })

  it("the runs are listed, watched and read, and the machine is examined", async () => {
    const printed = await example("Looking in and looking after")
    assert.match(printed, /^\d{8}T\S+: \S/m)
    assert.match(printed, /^(\w+: .*\n)+\d+ finding\(s\)\n0 run\(s\) to remove\n$/m)
  })

  it("a plan is worked through", async () =>
    assert.strictEqual(
      await example("Working through a plan"),
      "runs npm test\nDoneAccepted: 1 done\n"
    ))

  it("the machine in memory runs", async () =>
    assert.strictEqual(await example("Tests without git, codex or a disk"), ""))

  // A counterexample ends it with an error. On a busy machine Effect's clock of tests may print a warning.
  it("the model holds for a host's log", () => example("Property-test your embedding"))

  it("a run has a log of a kind that the program does not know", async () =>
    assert.match(await example("Logs of your own"), /^1 \[\]\n2 \[ 'looked at' \]\n/))

  it("nothing but the two entries can be imported", async () => {
    const file = join(host, "deep.mjs")
    for (const path of ["package.json", "dist/lib/index.js", "dist/lib/core/Level.js"]) {
      const report = "() => console.log('imported'), (error) => console.log(error.code)"
      writeFileSync(file, `await import("ooda-codex-review/${path}").then(${report})`)
      assert.strictEqual(await output(process.execPath, [file], { cwd: host }), "ERR_PACKAGE_PATH_NOT_EXPORTED\n")
    }
  })
})
