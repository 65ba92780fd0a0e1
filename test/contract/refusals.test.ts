// What is never worked around: a log of a newer version, rolled back or rewritten against its head; a torn tail.
// Lines are made by the format's own definition, so that only what the test is about is wrong with them.
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { binaryError, idle, outcome } from "./expect.ts"
import { events, hashOf, lines, logPath, logText, parseLine, runDir, runs } from "./log.ts"
import { clean } from "./plans.ts"
import { it, type World } from "./support.ts"

/** A line with a valid hash. */
const sealed = (fields: object): string => {
  const bytes = JSON.stringify(fields).slice(0, -1)
  return `${bytes},"hash":"${createHash("sha256").update(bytes, "utf8").digest("hex")}"}\n`
}
/** The line that may follow the last one, with some fields of its own. */
const following = (world: World, fields: object): string => {
  const { hash = "", ...last } = lines(world).at(-1) ?? {}
  return sealed({ ...last, seq: lines(world).length + 1, prev: hash, ...fields })
}
/** Neither mode continues, nothing is written, and no new run hides it. */
const refused = async (world: World, message: RegExp): Promise<void> => {
  world.plan("default", clean)
  const before = logText(world)
  binaryError(await world.step("--uncommitted", "--advance-level"), message)
  binaryError(await world.step("--uncommitted", "-n", "1"), message)
  assert.strictEqual(logText(world), before)
  assert.lengthOf(runs(world), 1)
  assert.isEmpty(world.calls())
}
const twoLines = async (world: World): Promise<void> => {
  idle(await world.step("--uncommitted", "--advance-level"), "advanced level: low -> medium")
  idle(await world.step("--uncommitted", "--mark-retro-clean"), "retrospective clean at medium; advanced to high")
}

describe.concurrent("a log that no invocation continues from", () => {
  it("follows the format, so that these tests can forge one", async ({ world }) => {
    await twoLines(world)
    const raw = logText(world).trimEnd().split("\n").at(-1) ?? ""
    const { hash, ...fields } = parseLine(raw)
    assert.strictEqual(hash, hashOf(raw))
    assert.strictEqual(sealed(fields), `${raw}\n`)
  })

  it("of a newer version", async ({ world }) => {
    await twoLines(world)
    appendFileSync(logPath(world), following(world, { v: 2 }))
    await refused(world, /newer version/)
  })

  it("with an event it does not know", { tags: "slow" }, async ({ world }) => {
    await twoLines(world)
    appendFileSync(logPath(world), following(world, { events: [{ _tag: "LevelPraised", level: "low" }] }))
    await refused(world, /newer version/)
  })

  it("rolled back behind its head", { tags: "slow" }, async ({ world }) => {
    await twoLines(world)
    writeFileSync(logPath(world), logText(world).split(/(?<=\n)/).slice(0, -1).join(""))
    await refused(world, /rolled back/)
  })

  it("rewritten against its head, with valid hashes", async ({ world }) => {
    await twoLines(world)
    const { prev, seq } = lines(world).at(-1) ?? {}
    const last = following(world, { seq, prev, at: "2020-01-01T00:00:00.000Z" })
    writeFileSync(logPath(world), [...logText(world).split(/(?<=\n)/).slice(0, -1), last].join(""))
    await refused(world, /rewritten/)
  })
})

describe.concurrent("a log that is repaired", () => {
  for (
    const [name, tail] of [
      ["half a line", '{"v":1,"seq":3'],
      ["4096 NULs", "\0".repeat(4096)],
      ["a hole of NULs in a whole line", '{"v":1,\0\0\0\0}\n']
    ] as const
  ) {
    it(`a torn tail, ${name}: cut by the next writer, kept as evidence, and said so`, async ({ world }) => {
      await twoLines(world)
      const before = logText(world)
      appendFileSync(logPath(world), tail)
      idle(await world.step("--uncommitted", "--advance-level"), "advanced level: high -> xhigh")
      assert.isTrue(logText(world).startsWith(before))
      assert.lengthOf(lines(world), before.split("\n").length)
      const cut = { offset: Buffer.byteLength(before), bytes: Buffer.byteLength(tail) }
      assert.deepInclude(events(world, "TailRepaired")[0], cut)
      const [kept = ""] = readdirSync(join(runDir(world), "torn"))
      assert.strictEqual(readFileSync(join(runDir(world), "torn", kept), "utf8"), tail)
    })
  }

  it("a line that lacks only its newline was never committed", { tags: "slow" }, async ({ world }) => {
    await twoLines(world)
    writeFileSync(logPath(world), logText(world).slice(0, -1))
    rmSync(join(runDir(world), "head.json"))
    const ended = await world.step("--uncommitted", "--advance-level")
    assert.strictEqual(ended.stdout, "advanced level: medium -> high\n")
    assert.strictEqual(ended.exit, 7)
  })

  it("--inspect reads over a torn tail and repairs nothing", async ({ world }) => {
    await twoLines(world)
    appendFileSync(logPath(world), "torn")
    const before = logText(world)
    outcome(await world.step("--uncommitted", "--inspect"), 4, "WouldAdvance: RunReviews")
    assert.strictEqual(logText(world), before)
    assert.isFalse(existsSync(join(runDir(world), "torn")))
  })
})
