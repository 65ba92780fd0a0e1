// report as a process: the built program writes one page about real runs, and nothing without a run.
// The page is taken apart by a strict reader, and the state root is only read.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "vitest"
import { runDir } from "../contract/log.ts"
import { clean, issues, says } from "../contract/plans.ts"
import { type Ended, it, type World } from "../contract/support.ts"
import { type Element, elementsOf } from "../support/tokens.ts"

const top = new URL("../../", import.meta.url)
const cli = fileURLToPath(
  new URL(JSON.parse(fs.readFileSync(new URL("package.json", top), "utf8")).bin["ooda-codex-review"], top)
)

/** The subcommand in the world's repository, with its state root from the environment. */
const ask = (world: World, ...args: ReadonlyArray<string>): Promise<Ended> =>
  world.stepFrom({ stateRoot: null, env: { OODA_STATE_ROOT: world.stateRoot } }, "report", ...args)

const textsOf = (elements: ReadonlyArray<Element>, tag: string): ReadonlyArray<string> =>
  elements.filter((one) => one.tag === tag).map(({ text }) => text)

/** The page on standard output, as its elements. */
const pageOf = async (world: World, ...args: ReadonlyArray<string>) => {
  const { exit, stderr, stdout } = await ask(world, ...args)
  assert.deepStrictEqual([exit, stderr], [0, ""])
  return elementsOf(stdout)
}

/** What is said of it: one line with a remedy, and nothing on standard output. */
const refused = ({ exit, stderr, stdout }: Ended, code: number): string => {
  assert.deepStrictEqual([exit, stdout], [code, ""])
  assert.match(stderr, /^error: [^\n]*(\[[^\n]*\]|[;,] [^\n]*)\n$/)
  return stderr
}

const flawed = async (world: World, plan: string = issues) => {
  world.write("tracked.txt", "two\n")
  world.plan("default", plan)
  await world.step("--uncommitted", "-n", "2", "--ceiling", "low")
}

describe.concurrent("a report", () => {
  it("shows a run with open findings, and its way to the fixed point", async ({ world }) => {
    await flawed(world)
    const open = await pageOf(world)
    assert.include(textsOf(open, "span"), "needs you: 2 of 2 reviews at low found issues")
    assert.include(textsOf(open, "span"), "Guard against a null user")
    assert.include(textsOf(open, "p"), "No fixed point was reached, so nothing is proven.")

    world.plan("default", clean)
    await world.step("--uncommitted", "-n", "2", "--ceiling", "low", "--mark-address-passed")
    await world.step("--uncommitted", "-n", "2", "--ceiling", "low")
    await world.step("--uncommitted", "-n", "2", "--ceiling", "low", "--mark-retro-clean")
    const done = await pageOf(world)
    const spans = textsOf(done, "span")
    assert.include(spans, "done: reviewed clean at low")
    assert.include(spans, "The audit is sound.")
    assert.isTrue(spans.some((text) => text.startsWith("proven: fixed point at low batch 2")), spans.join("\n"))
    assert.include(textsOf(done, "p"), "1 finding in all: 1 gone.")
    assert.includeMembers([...textsOf(done, "th")], ["low batch 1", "low batch 2"])
  })

  it("goes to a file, whole and for its user alone, and writes nothing else", { tags: "slow" }, async ({ world }) => {
    await flawed(world)
    const before = fs.readdirSync(world.stateRoot, { recursive: true }).length
    const file = join(world.dir, "report.html")
    const { exit, stderr, stdout } = await ask(world, "--out", file)
    assert.deepStrictEqual([exit, stdout, stderr], [0, `wrote ${file}\n`, ""])
    assert.include(fs.readFileSync(file, "utf8"), "Guard against a null user")
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    assert.strictEqual(fs.readdirSync(world.stateRoot, { recursive: true }).length, before)
    assert.deepStrictEqual(fs.readdirSync(world.dir).filter((name) => name.startsWith("report.html.")), [])
  })

  it("is refused where it would be code that no one reviewed, and spoils no fixed point", async ({ world }) => {
    await flawed(world)
    const refused = await ask(world, "--out", "report.html")
    assert.deepStrictEqual([refused.exit, refused.stdout], [6, ""])
    assert.match(
      refused.stderr,
      /^error: \S+report\.html: it lies in the worktree .* \[ooda-codex-review report [^\n]*\]\n$/
    )
    const call = /\[ooda-codex-review report --out ([^\s\]]+)/.exec(refused.stderr)?.[1] ?? ""
    assert.strictEqual(call, join(world.dir, "report.html"))
    assert.isFalse(fs.existsSync(join(world.repo, "report.html")))
    fs.appendFileSync(join(world.repo, ".git/info/exclude"), "*.html\n")
    const ignored = await ask(world, "--out", "report.html")
    assert.deepStrictEqual([ignored.exit, ignored.stdout], [0, "wrote report.html\n"])
  })

  it("shows what a hostile reviewer wrote as text, and no secret that it found", async ({ world }) => {
    const secret = "ghp_1234567890abcdefghijABCDEFGHIJ123456"
    const title = `</script><script>alert(1)</script><img src=x onerror=alert(1)>`
    await flawed(
      world,
      says(`Bad.\n\nReview comment:\n\n- [P1] ${title} — tracked.txt:1-1\n  The token ${secret} \u202e.`)
    )
    const { stdout } = await ask(world)
    const elements = elementsOf(stdout)
    assert.include(textsOf(elements, "span"), title)
    assert.strictEqual(elements.filter(({ tag }) => tag === "script").length, 1)
    assert.isEmpty(elements.filter(({ tag }) => tag === "img"))
    assert.notInclude(stdout, secret)
    assert.include(stdout, "[redacted] \\u202e.")
  })
})

describe("a log of an earlier version", () => {
  const logs = new URL("../../fixtures/logs/", import.meta.url)
  const names = fs.readdirSync(logs).filter((name) => /^[^.]+\.v\d+(\.plan)?\.jsonl$/.test(name))

  const sentence = "is shown in a page, although only the log of its run is left"
  it.for(names)(`%s ${sentence}`, { tags: "slow" }, async (name) => {
    const root = fs.mkdtempSync(join(tmpdir(), "ooda-golden-"))
    try {
      const text = fs.readFileSync(new URL(name, logs), "utf8")
      const [{ plan, repoId = "golden-0123456789ab", runId }] = JSON.parse(text.split("\n")[0] ?? "").events
      const run = join(root, repoId, plan === undefined ? "uncommitted" : "plan/p", "runs", runId)
      fs.mkdirSync(run, { recursive: true, mode: 0o700 })
      fs.writeFileSync(join(run, plan === undefined ? "manifest.jsonl" : "plan.jsonl"), text)
      const driver = new URL(name.replace(/\.jsonl$/, ".converge.jsonl"), logs)
      if (fs.existsSync(driver)) fs.copyFileSync(driver, join(run, "converge.jsonl"))
      const done = spawnSync(process.execPath, [cli, "report", runId, "--state-root", root], { encoding: "utf8" })
      assert.deepStrictEqual([done.status, done.stderr], [0, ""])
      const sections = elementsOf(done.stdout).filter(({ tag }) => tag === "section")
      assert.isAtLeast(sections.length, 3)
    } finally {
      fs.rmSync(root, { recursive: true, force: true })
    }
  })
})

describe.concurrent("no report is written", () => {
  const file = (world: World) => join(world.dir, "report.html")

  it("of an unknown run, or without any run", async ({ world }) => {
    assert.match(refused(await ask(world, "--out", file(world)), 6), /no run of this repository/)
    await flawed(world)
    assert.match(refused(await ask(world, "1999", "--out", file(world)), 6), /no run begins with 1999/)
    assert.isFalse(fs.existsSync(file(world)))
  })

  it("of a damaged run: exit 1, and what was there before stays", async ({ world }) => {
    await flawed(world)
    fs.writeFileSync(file(world), "before")
    const log = join(runDir(world), "manifest.jsonl")
    fs.writeFileSync(log, fs.readFileSync(log, "utf8").replace(`"BatchCompleted"`, `"BatchCompletee"`))
    assert.match(refused(await ask(world, "--out", file(world)), 1), /damaged at line \d+/)
    assert.strictEqual(fs.readFileSync(file(world), "utf8"), "before")
  })

  it("over a directory or into one that is not there", { tags: "slow" }, async ({ world }) => {
    await flawed(world)
    assert.match(refused(await ask(world, "--out", world.dir), 6), /it is a directory \[name a file in it\]/)
    assert.match(refused(await ask(world, "--out", join(world.dir, "none", "r.html")), 6), /there is no directory/)
  })
})
