// Race: two orchestrators follow the strict recipe on one working copy, edit it, and have their steps killed.
// Every reported fixed point is true, according to independent witnesses and to the audit.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import type { Level } from "../../../src/run/Level.ts"
import { useBench } from "./bench.ts"
import { eventsOf, runsIn } from "./disk.ts"
import { editing } from "./editing.ts"
import { attemptsOnce } from "./looping.ts"
import { orchestrate, type Taken } from "./orchestrator.ts"
import { numbers } from "./random.ts"
import { notBorneOut, testimonies, witness } from "./testimony.ts"

const bench = useBench()

const lasting = Number(process.env["RACE_SECONDS"] ?? "40") * 1000
const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000)

interface Race {
  readonly name: string
  readonly ceilings: readonly [Level, Level]
  readonly flags: ReadonlyArray<string>
}

const races: ReadonlyArray<Race> = [
  { name: "with one ceiling", ceilings: ["medium", "medium"], flags: ["-n", "2"] },
  {
    name: "with two ceilings, whose reviews are isolated",
    ceilings: ["high", "medium"],
    flags: ["-n", "1", "--isolate"]
  }
]

const plan = "issues=40\nlooks=$(awk -v c=\"$chance\" 'BEGIN { print c / 512 }')\n"

describe.each(races)("two orchestrators $name", ({ ceilings, flags, name }) => {
  it("get no false fixed point", async () => {
    const place = bench().place()
    const at = path.dirname(place.state)
    const repo = bench().makeRepo(path.join(at, "repo"))
    const seen = path.join(at, "seen")
    fs.mkdirSync(seen)
    fs.writeFileSync(path.join(seen, "plan"), plan)
    const copy = editing(repo, bench().env)
    const lines = () => new Map(runsIn(place.state).map(({ id, raw }) => [id, raw.length]))
    const taken: Array<Taken> = []
    let fixedPoints = 0
    const until = Date.now() + lasting / races.length
    const deaths = () => taken.filter(({ ended }) => ended.signal === "SIGKILL").length
    // A busy machine gets more time to come to a first fixed point and a first death.
    const isOver = () => Date.now() > (fixedPoints > 0 && deaths() > 0 ? until : until + lasting)

    /** Whether what a run knew by then bears out some state that the code had during a call. */
    const check = (ceiling: Level, { before, ended, from, mark, to }: Taken): void => {
      fixedPoints++
      const said = testimonies(seen)
      const states = copy.during(from, to)
      const doubts = runsIn(place.state).flatMap(({ id, lines }) => {
        const known = before.get(id) ?? 0
        return states.flatMap((now) =>
          Array.from(
            { length: lines.length - known + 1 },
            (_, more) => notBorneOut(lines.slice(0, known + more), { floor: "low", ceiling }, said, now)
          )
        ).map((doubt) => doubt === null ? null : `${id}: ${doubt}`)
      })
      const what = `seed ${seed}: ${mark ?? "a step"} said ${ended.header}`
      assert.isTrue(doubts.includes(null), `${what}\n${[...new Set(doubts)].join("\n")}`)
    }
    /** Somebody who changes a file for a moment, now and then. */
    const person = async (): Promise<void> => {
      const number = numbers(seed * 10 + 9)
      while (!isOver()) {
        await new Promise((resolve) => setTimeout(resolve, 2000 + number() * 6000))
        await copy.flicker()
      }
    }
    await Promise.all([
      person(),
      ...ceilings.map((ceiling, i) =>
        orchestrate({
          bench: bench(),
          place,
          flags: [
            "--state-root",
            place.state,
            "--codex-bin",
            witness,
            "--uncommitted",
            "--strict",
            "--step-timeout",
            "5s",
            "--ceiling",
            ceiling,
            ...flags
          ],
          cwd: repo,
          env: { WITNESS: seen },
          copy,
          number: numbers(seed * 10 + i),
          isOver,
          lines,
          took: (one) => {
            taken.push(one)
            if (one.ended.header === "DoneFixedPoint") check(ceiling, one)
          }
        })
      )
    ])
    await bench().run(place, ["stop", "--uncommitted", "--state-root", place.state], { cwd: repo })
    const attempts = attemptsOnce(place, `seed ${seed}`)
    const runs = runsIn(place.state)
    for (const { id, raw } of runs) {
      // A death before the first line of a run leaves a directory that says nothing.
      if (raw.length === 0) continue
      const audit = await bench().run(place, ["audit", id, "--state-root", place.state], { cwd: repo })
      assert.strictEqual(audit.exit, 0, `seed ${seed}: ${audit.stdout}${audit.stderr}`)
    }
    const fixed = runs.reduce((sum, run) => sum + eventsOf(run, "FixedPointReached").length, 0)
    const counted = (test: RegExp) => taken.filter(({ ended }) => test.test(ended.header)).length
    console.log(
      `${name}, seed ${seed}: ${taken.length} calls, ${deaths()} killed, ${fixedPoints} fixed points (${fixed} recorded), ` +
        `${counted(/mark refused/)} marks refused, ${counted(/^Stuck/)} stuck, ${runs.length} runs, ` +
        `${attempts.length} reviewers`
    )
    assert.isAbove(fixedPoints, 0)
    assert.isAbove(deaths(), 0)
  }, 2 * lasting + 120_000)
})
