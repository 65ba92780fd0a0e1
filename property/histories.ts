// histories: named runs at the edges of the contract, which laws about histories try in addition to random ones.
// Each is made of moves, like random ones, so the program could write it.
import type { Identity } from "../src/run/Identity.ts"
import type { FailureKind } from "../src/run/FailureKind.ts"
import type { Level } from "../src/run/Level.ts"
import type { Mark } from "../src/run/Mark.ts"
import { type History, type Move, moves } from "../src/testing.ts"
import { created, tree } from "../test/unit/run/events.ts"

const [before, after] = [tree("t1"), tree("t2")]

const start = (size: number, identity: Identity = before): Move => ({ _tag: "StartBatch", size, jobs: size, identity })
const finish = (clean: boolean, identity: Identity = before): Move => ({ _tag: "Finish", pick: 0, clean, identity })
const fail = (kind: FailureKind): Move => ({ _tag: "Fail", pick: 0, kind, identity: before })
const mark = (mark: Mark, ceiling: Level = "xhigh"): Move => ({ _tag: "MarkRun", mark, ceiling })
const up = mark({ _tag: "AdvanceLevel" })
const passed = mark({ _tag: "AddressPassed" })
const clean = mark({ _tag: "RetroClean" })
// The same with the floor for a ceiling.
const ends = mark({ _tag: "RetroClean" }, "low")

const run = (floor: Level, ...made: ReadonlyArray<Move>): History => moves.play(created({ startLevel: floor }), made)

/** The histories by what is special about them. */
export const histories: Readonly<Record<string, History>> = {
  "nothing but its creation": run("low"),
  "an advance at the ladder edge": run("xhigh", up, start(1), finish(true), up),
  "a clean retrospective at the ladder edge, above the ceiling": run("low", up, up, up, ends),
  "an address at the floor opens the next batch there": run("low", start(1), finish(false), passed, start(1)),
  "down and up again: no batch number is used twice": run("low", up, start(1), finish(false), passed, clean, start(1)),
  "a restart at the floor": run("low", mark({ _tag: "RestartFromFloor" }), start(2)),
  "a fixed point, left again": run("low", start(1), finish(true), ends, up),
  "a failed batch, run again": run("low", start(2), finish(true), fail("NotLoggedIn"), { _tag: "StartDue", jobs: 2 }),
  "a transient failure, tried again": run("low", start(1), fail("RateLimited"), { _tag: "StartDue", jobs: 1 }),
  "reviewers that were stopped, started again": run(
    "low",
    start(2),
    finish(true),
    { _tag: "Stop", cause: "Stop" },
    { _tag: "StartDue", jobs: 2 }
  ),
  "code that changed under review": run("low", start(1), finish(true, after), {
    _tag: "ChangeTarget",
    size: 1,
    jobs: 1,
    identity: after
  })
}

/** One argument each, for `examples`. */
export const eachHistory: Array<[History]> = Object.values(histories).map((one) => [one])
