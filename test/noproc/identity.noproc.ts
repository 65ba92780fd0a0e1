// identity: who a process is where only ps says it: nothing is taken for dead, alive or its own by a number alone.
import { spawn } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { eventually, it, living, type World } from "../process/world.ts"

const start = String.raw`[A-Z][a-z]{2}_[A-Z][a-z]{2}_\d+_\d\d_\d\d_\d\d_\d{4}`
const argv = ["--uncommitted", "-n", "1", "--ceiling", "low"]

const journalOf = ({ runDir }: World): string =>
  readdirSync(runDir(), { recursive: true, encoding: "utf8" }).filter((name) => /\.run$/.test(name))
    .map((name) => join(runDir(), name))[0] ?? assert.fail("no journal")

/** Waits until a reviewer has begun and its wrapper has noted its group, which takes a call of ps. */
const begun = (world: World): Promise<unknown> =>
  eventually(
    "the reviewer",
    () => world.calls().length === 1 && /^group /m.test(readFileSync(journalOf(world), "utf8"))
  )

describe("a reviewer that outlives its step", () => {
  it("is known by dates, and stopped with all it started", async ({ world }) => {
    world.scenario("default", `children 1;wait ${world.path("go")};clean`)
    const step = world.start(argv)
    await begun(world)
    await eventually("what the reviewer starts", () => world.reviewers().length > 3)
    assert.match(
      readFileSync(journalOf(world), "utf8"),
      new RegExp(`^attempt \\S+ \\d+ ${start} ${start}\\n(?:.*\\n)*group \\d+ ${start}\\n`)
    )
    step.signal("SIGKILL")
    await step.ended
    assert.include((await world.step("status")).stdout, "running")
    assert.strictEqual((await world.step("stop", "--uncommitted")).exit, 0)
    assert.deepStrictEqual(world.reviewers(), [])
  })

  it("is reviewed to its end by the next step, once", async ({ world }) => {
    world.scenario("default", `wait ${world.path("go")};issues 1`)
    const step = world.start(argv)
    await begun(world)
    step.signal("SIGKILL")
    await step.ended
    const next = world.start(argv)
    world.release("go")
    assert.match((await next.ended).header, /AddressBatch$/)
    assert.lengthOf(world.calls(), 1)
  })

  it("is lost with its wrapper, and what it left is ended before it is asked again", async ({ world }) => {
    world.scenario("1", `children 1;wait ${world.path("go")};clean`)
    world.scenario("default", "clean")
    const step = world.start(argv)
    await begun(world)
    await eventually("what the reviewer starts", () => world.reviewers().length > 3)
    step.signal("SIGKILL")
    await step.ended
    const left = world.reviewers()
    const [, wrapper] = /^attempt \S+ (\d+)/.exec(readFileSync(journalOf(world), "utf8")) ?? []
    process.kill(Number(wrapper), "SIGKILL")
    assert.match((await world.step(...argv)).header, /^(?:DoneFixedPoint|BinaryError)/)
    assert.deepStrictEqual(left.filter(living), [])
    assert.strictEqual((await world.step(...argv)).header, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2)
  })

  it("has a number that may pass to another process, which is never signalled", async ({ world }) => {
    world.scenario("default", `wait ${world.path("go")};clean`)
    const step = world.start(argv)
    await begun(world)
    const other = spawn("sleep", ["3600"], { detached: true, stdio: "ignore" })
    const pid = other.pid ?? assert.fail("not started")
    try {
      step.signal("SIGKILL")
      await step.ended
      const journal = journalOf(world)
      const text = readFileSync(journal, "utf8")
      for (const its of ["Fri_Nov_6_14_03_26_2020", "-"]) {
        writeFileSync(
          journal,
          text.replace(/^group .*/m, `group ${pid} ${its}`).replace(
            /^attempt (\S+) \d+ \S+/,
            `attempt $1 ${pid} ${its}`
          )
        )
        await world.step("stop", "--uncommitted")
        assert.isTrue(living(pid), its)
      }
      assert.deepStrictEqual(world.reviewers(), [])
    } finally {
      other.kill("SIGKILL")
    }
  })
})
