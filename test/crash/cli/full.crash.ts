// Full: the built CLI on a disk that is full, and under a limit on the size of files.
// All or nothing, and said so; what was there stays, and with space again the next step is right.
import { type ChildProcess, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { works } from "../skipped.ts"
import { codex, type Ended, type Place, useBench, type Way } from "./bench.ts"
import { eventsOf, latestDir, latestRun, runsIn } from "./disk.ts"
import { freely, type Step } from "./gate.ts"
import { allSound, attemptsOnce, linesIn, keepsLines, type RunLines } from "./looping.ts"
import { givesMark, linesBefore, type Marked } from "./marking.ts"
import { trials } from "./pool.ts"

const made: { opened: Place | null } = { opened: null }
const bench = useBench(async (bench) => {
  made.opened = bench.place()
  const opened = await freely(bench, made.opened, { args: ["--mark-address-failed", "x"] })
  assert.strictEqual(opened.exit, 3, opened.stderr)
})

const mark: Marked = { args: ["--mark-retro-clean"], mark: { _tag: "RetroClean" } }
const loop: Step = { args: ["-n", "2"], scenario: "issues 1" }
const texts = ({ exit, stderr, stdout }: Ended): string => `exit ${exit}\n${stdout}${stderr}`

const oneLine = /^BinaryError: \S[^\n]*\n$/

/** Checks that a mark was refused, with no line of it, or acknowledged and there. Returns whether it is there. */
const allOrNothing = (ended: Ended, on: Place, before: number, where: string): boolean => {
  const run = latestRun(on.state) ?? runsIn(on.state)[0]
  const lines = run?.raw.length ?? 0
  assert.strictEqual(run?.torn.length ?? 0, 0, where)
  if (ended.exit === 6) {
    assert.match(ended.stderr, oneLine, where)
    assert.strictEqual(ended.stdout, "", where)
    assert.isAtMost(lines, Math.max(1, before), where)
    return false
  }
  assert.strictEqual(ended.exit, 7, where)
  assert.strictEqual(lines, Math.max(1, before) + 1, where)
  return true
}

/**
 * Checks a loop step that may have run out of space anywhere. The next one may still have to record that a reviewer
 * left nothing behind; the one after that ends as it should. No cut review passes for a clean one.
 */
const survives = async (ended: Ended, on: Place, before: RunLines, where: string): Promise<void> => {
  assert.include([5, 6], ended.exit, where)
  if (ended.exit === 6) assert.match(ended.stderr, oneLine, where)
  keepsLines(on, before, before.size === 0 ? 1 : 0, where)
  attemptsOnce(on, where)
  const first = await freely(bench(), on, loop)
  if (first.exit === 6) {
    assert.match(first.stderr, /^BinaryError: \d review\(s\) of low batch 1 failed: [^\n]*\n$/, where)
  }
  const next = first.exit === 6 ? await freely(bench(), on, loop) : first
  assert.strictEqual(next.header, "HandoffAgent: AddressBatch", `${where}\nnext: ${texts(first)}${texts(next)}`)
  attemptsOnce(on, where)
  const run = latestRun(on.state) ?? assert.fail(where)
  assert.strictEqual(run.torn.length, 0, where)
  const verdicts = eventsOf(run, "ReviewFinished").map(({ verdict }) => verdict)
  assert.deepStrictEqual(verdicts, ["HasIssues", "HasIssues"], where)
}

const limited = works("file size limits", "prlimit", ["--fsize=100:unlimited", "true"])

describe.skipIf(!limited)("a file size limit", () => {
  const under = (bytes: number): Way => ({ through: ["prlimit", `--fsize=${bytes}:unlimited`] })

  it("around every size that matters takes opening and marking back", async () => {
    const whole = await freely(bench(), bench().place(made.opened), mark)
    assert.strictEqual(whole.exit, 7)
    const log = latestRun(made.opened?.state ?? "")?.raw.reduce((sum, line) => sum + line.length + 1, 0) ?? 0
    const first = [0, 1, 20, 34, 80, 110, 130, 300, 450, 520, 560, 600, 700, 1000, 1400]
    const more = [-1, 0, 1, 60, 150, 300, 440, 460, 480, 600]
    const tried = [
      ...first.map((size) => ({ size, from: null })),
      ...more.map((size) => ({ size: log + size, from: made.opened }))
    ]
    let [refused, done] = [0, 0]
    await trials(tried, async ({ from, size }) => {
      const place = bench().place(from)
      const before = linesBefore(from).length
      const ended = await freely(bench(), place, mark, under(size))
      const where = `limit ${size}: ${texts(ended)}`
      if (allOrNothing(ended, place, before, where)) done++
      else refused++
      await givesMark(bench(), place, mark, where)
    })
    assert.isAbove(refused, 5)
    assert.isAbove(done, 0)
    console.log(`file size limits: ${tried.length} marks, ${refused} refused, ${done} recorded`)
  })

  it("anywhere under a loop step loses nothing, and the next one continues", async () => {
    const sizes = [0, 100, 400, 700, 900, 1200, 1600, 2400]
    const places: Array<Place> = []
    await trials(sizes, async (size) => {
      const place = bench().place(made.opened)
      const before = linesIn(place)
      const ended = await freely(bench(), place, loop, under(size))
      await survives(ended, place, before, `limit ${size}: ${texts(ended)}`)
      places.push(place)
    })
    await allSound(bench(), places)
    console.log(`file size limits: ${sizes.length} loop steps`)
  })
})

const page = 4096
const mountable = process.getuid?.() === 0
  ? works("a full disk", "sh", ["-c", "d=$(mktemp -d) && mount -t tmpfs none $d && umount $d && rmdir $d"])
  : works("a full disk (needs root)", "false", [])

describe.skipIf(!mountable)("a full disk", () => {
  const disk = (): string => path.join(bench().root, "disk")
  const size = 400 * page
  beforeAll(() => {
    fs.mkdirSync(disk())
    assert.strictEqual(spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=700`, "none", disk()]).status, 0)
  })
  afterAll(() => spawnSync("umount", ["-l", disk()]))

  const filler = (): string => path.join(disk(), "filler")
  /** Fills the disk but for so many pages. */
  const leave = (pages: number): void => {
    const { bavail, bsize } = fs.statfsSync(disk())
    assert.strictEqual(bsize, page)
    fs.writeFileSync(filler(), Buffer.alloc(Math.max(0, bavail - pages) * page))
  }
  const onDisk = (from: Place | null): Place => {
    fs.rmSync(path.join(disk(), "state"), { recursive: true, force: true })
    if (from !== null) fs.cpSync(from.state, path.join(disk(), "state"), { recursive: true })
    return { state: path.join(disk(), "state"), calls: bench().place().calls }
  }

  const fillings = async (
    name: string,
    from: Place | null,
    pages: ReadonlyArray<number>,
    trial: (place: Place, where: (ended: Ended) => string) => Promise<Ended>
  ): Promise<void> => {
    let errors = 0
    for (const left of pages) {
      const place = onDisk(from)
      leave(left)
      const ended = await trial(place, (said) => `${left} pages left: ${texts(said)}`)
      if (ended.exit === 6) errors++
    }
    assert.isAbove(errors, 0)
    console.log(`a full disk, ${name}: ${pages.length} fillings, ${errors} errors`)
  }

  it.each([["the first run", false], ["a mark", true]])("%s", (name, opened) => {
    const from = opened ? made.opened : null
    return fillings(name, from, opened ? [0, 1, 2] : [0, 1, 2, 3, 4, 5, 6], async (place, where) => {
      const ended = await freely(bench(), place, mark)
      fs.rmSync(filler())
      allOrNothing(ended, place, linesBefore(from).length, where(ended))
      await givesMark(bench(), place, mark, where(ended))
      return ended
    })
  })

  /** The reviewers and wrappers of this bench that live. */
  const reviewers = (): ReadonlyArray<string> =>
    fs.readdirSync("/proc").filter((name) => {
      try {
        const environment = fs.readFileSync(`/proc/${name}/environ`, "utf8").split("\0")
        return environment.includes(`CRASH_BENCH=${bench().root}`) &&
          environment.some((one) => one.startsWith("OODA_ATTEMPT="))
      } catch {
        return false
      }
    })
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    for (const end = Date.now() + 60_000; !holds(); await pause(50)) {
      if (Date.now() > end) throw new Error(`not in time: ${what}`)
    }
  }

  it("while reviewers end loses none of their reviews, and runs none again", async () => {
    const place = onDisk(null)
    const go = path.join(bench().root, "go")
    // More than a page, so that the transcripts cannot be put together.
    const slow = { args: ["-n", "2"], scenario: `issues 60;log printed;wait ${go}` }
    const file = (name: string) => path.join(latestDir(place.state) ?? "", "levels", "level-low", "batch-1", name)
    const text = (name: string) => fs.existsSync(file(name)) ? fs.readFileSync(file(name), "utf8") : ""
    const stepping: { child: ChildProcess | null } = { child: null }
    const first = freely(bench(), place, slow, { onStart: (child) => (stepping.child = child) })
    await until(
      "two printed reviews",
      () =>
        latestDir(place.state) !== null && ["low-1.log", "low-2.log"].every((name) => text(name).endsWith("printed\n"))
    )
    stepping.child?.kill("SIGTERM")
    assert.strictEqual((await first).exit, 8)
    leave(0)
    fs.writeFileSync(go, "")
    await until("the reviewers' end", () => reviewers().length === 0)
    assert.deepStrictEqual(["low-1.exit", "low-2.exit"].map(text), ["0\n", "0\n"])
    assert.strictEqual(fs.statfsSync(disk()).bavail, 0)
    const full = await freely(bench(), place, slow)
    assert.strictEqual(full.exit, 6, texts(full))
    fs.rmSync(filler())
    const next = await freely(bench(), place, slow)
    assert.strictEqual(next.header, "HandoffAgent: AddressBatch", texts(next))
    assert.lengthOf(attemptsOnce(place, texts(next)), 2)
    for (const slot of [1, 2]) {
      assert.strictEqual(text(`low-${slot}.out`).split("Body of finding").length, 61)
      assert.isTrue(text(`low-${slot}.log`).endsWith(`printed\n${text(`low-${slot}.out`)}`))
    }
    const audit = await bench().run(place, ["audit", "--uncommitted", "--state-root", place.state])
    assert.strictEqual(audit.exit, 0, texts(audit))
  })

  it("a step that isolates", () =>
    fillings("a step that isolates", made.opened, [0, 4, 8, 16, 24, 32, 48, 64, 96], async (place, where) => {
      const before = linesIn(place)
      const step: Step = { args: [...loop.args, "--isolate"], scenario: "issues 1" }
      const ended = await freely(bench(), place, step)
      const copy = /isolated\/[0-9a-f]{16}: /
      if (copy.test(ended.stderr)) {
        assert.match(ended.stderr, new RegExp(`${copy.source}the disk is full`), where(ended))
        assert.include(ended.stderr, `[free space on the disk of ${place.state}, then call again]`, where(ended))
      }
      fs.rmSync(filler())
      await survives(ended, place, before, where(ended))
      return ended
    }))

  it("that fills while code is frozen is named, with what to do", async () => {
    const repo = bench().makeRepo(path.join(bench().root, "large"))
    fs.writeFileSync(path.join(repo, "random"), randomBytes(2 * size))
    const place = onDisk(null)
    const ended = await freely(bench(), place, { args: ["-n", "1", "--isolate"] }, { cwd: repo })
    assert.strictEqual(ended.exit, 6, texts(ended))
    assert.match(ended.stderr, /\/code: the disk is full \(ENOSPC: write\); /)
    assert.include(ended.stderr, `[free space on the disk of ${place.state}, then call again]`)
    assert.match(ended.stderr, oneLine)
  })

  it("for the lock of a driver is named, with what to do", async () => {
    const place = onDisk(null)
    const converge = ["converge", "--uncommitted", "--no-test", "--yes", "-n", "1", "--state-root", place.state]
    const way = { env: { PATH: `${path.dirname(codex)}:${process.env["PATH"] ?? ""}` } }
    leave(0)
    const ended = await bench().run(place, converge, way)
    fs.rmSync(filler())
    assert.strictEqual(ended.exit, 6, texts(ended))
    assert.match(ended.stderr, /^BinaryError: .*\/\.drivers\/\w+\.lock: the disk is full \(ENOSPC: write\); [^\n]*\n$/m)
    assert.include(ended.stderr, `[free space on the disk of ${place.state}, then call again]`)
  })

  it("by a reviewer's transcript is named, and freed without losing the run", async () => {
    const place = onDisk(null)
    const stepping: { child: ChildProcess | null } = { child: null }
    const flooding = { args: ["-n", "1"], scenario: "flood" }
    const first = freely(bench(), place, flooding, { onStart: (child) => (stepping.child = child) })
    await until("a full disk", () => fs.statfsSync(disk()).bavail === 0)
    stepping.child?.kill("SIGTERM")
    await first
    const transcript = path.join(latestDir(place.state) ?? "", "levels", "level-low", "batch-1", "low-1.log")
    const free = `runs --prune --transcripts --all --state-root ${place.state}`
    const named = (message: string) => {
      assert.include(message, `1.6 MB, 1.6 MB of it in ${transcript}`)
      assert.include(message, `ooda-codex-review ${free}`)
    }
    const doctor = await bench().run(place, ["doctor", "--state-root", place.state])
    named(doctor.stdout)
    const stopped = await bench().run(place, ["stop", "--uncommitted", "--state-root", place.state])
    assert.strictEqual(stopped.exit, 6, texts(stopped))
    named(stopped.stderr)
    assert.deepStrictEqual(reviewers(), [])
    const step = await freely(bench(), place, loop)
    assert.strictEqual(step.exit, 6, texts(step))
    named(step.stderr)
    assert.match(step.stderr, oneLine)
    const freed = await bench().run(place, free.split(" "))
    assert.match(
      freed.stdout,
      /^freed 1\.[3-6] MB of transcripts of \S+ .*\nfreed 1\.[3-6] MB of transcripts\n$/,
      texts(freed)
    )
    assert.isBelow(fs.statSync(transcript).size, 140_000)
    const [run] = runsIn(place.state)
    const full = await freely(bench(), place, loop)
    assert.match(full.stderr, /^BinaryError: 1 review\(s\) of low batch 1 failed: /)
    const next = await freely(bench(), place, { ...loop, args: ["-n", "1"] })
    assert.strictEqual(next.header, "HandoffAgent: AddressBatch", texts(next))
    assert.deepStrictEqual(runsIn(place.state).map(({ id }) => id), [run?.id])
  })

  it("a loop step", () =>
    fillings("a loop step", made.opened, [0, 1, 2, 3, 4, 6, 8, 10, 12, 16], async (place, where) => {
      const before = linesIn(place)
      const ended = await freely(bench(), place, loop)
      fs.rmSync(filler())
      await survives(ended, place, before, where(ended))
      return ended
    }))
})
