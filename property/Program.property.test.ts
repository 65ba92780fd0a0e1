// Program: the whole program on memory layers against the model: random histories, named ones, kills at every change.
// What the model foretells is the contract; a counterexample is a bug of one of the two.
import { describe, it } from "vitest"
import { Memory, ProgramModel } from "../src/testing.ts"
import {
  calls,
  cut,
  edits,
  ended,
  killedCalls,
  killedMarks,
  marks,
  type ProgramCommand,
  races,
  stops,
  twoCalls,
  waits
} from "../src/testing/model/Commands.ts"
import type { Call, Part, Rung } from "../src/testing/model/Model.ts"

const minute = 60_000

const part = (says: Part["says"], slow = false): Part => ({ says, slow })
const call = (parts: ReadonlyArray<Part>, others: Partial<Call> = {}): Call => ({
  floor: "low",
  ceiling: "low",
  size: 1,
  fresh: false,
  bounded: false,
  parts,
  ...others
})
const from = (floor: Rung): Partial<Call> => ({ floor, ceiling: floor })

const [clean, issues, failure] = [part("clean"), part("issues"), part("failure")]
const [slowly, passing, silent] = [part("clean", true), part("transient failure"), part("silence")]

describe("the program does what the model foretells", () => {
  it(
    "for random histories of reviews, failures, kills, marks and races",
    () => ProgramModel.check(Memory.layer, 50),
    minute
  )

  // Each was the shortest counterexample of a bug, or is a path that every run takes.
  const named: Readonly<Record<string, ReadonlyArray<ProgramCommand>>> = {
    "a climb to the fixed point, a finding on the way": [
      calls(call([issues, clean], { ceiling: "medium", size: 2 })),
      marks("mark-address-passed", "low", "medium"),
      calls(call([clean], { ceiling: "medium", size: 2 })),
      marks("mark-retro-clean", "low", "medium"),
      calls(call([clean], { ceiling: "medium", size: 2 }))
    ],
    "a fixed point is not believed once the code is another": [
      calls(call([clean])),
      edits("code-2"),
      calls(call([issues]))
    ],
    "only the failed slot is run again": [
      calls(call([clean, failure], { size: 2 })),
      calls(call([clean], { size: 2 }))
    ],
    "what passes is tried again at once, what stays is not": [
      calls(call([passing, clean, failure], { size: 2 })),
      calls(call([clean], { size: 2 }))
    ],
    "a hanging reviewer is ended by the step that finds it": [
      calls(call([silent], { bounded: true })),
      waits(20_000),
      calls(call([clean]))
    ],
    "another floor leaves no reviewer of the replaced run behind": [
      calls(call([slowly], { bounded: true })),
      marks("mark-retro-clean", "medium", "medium")
    ],
    "a stale fixed point leaves no reviewer of its run behind": [
      marks("mark-retro-clean", "low", "low"),
      calls(call([slowly], { bounded: true })),
      edits("code-2"),
      calls(call([clean]))
    ],
    "a call that is cut while it replaces a run leaves no reviewer of it behind": [
      calls(call([slowly], { bounded: true })),
      cut(call([clean], from("medium")), 5)
    ],
    "a retry that was stopped is not started": [races(call([passing], from("medium")), call([clean, slowly]), 2_300)],
    "a call that begins later runs the failed slot again": [
      ended(call([failure]), "SIGTERM", 150),
      twoCalls(call([clean]))
    ],
    "a mark counts what ended while no step ran": [
      calls(call([part("issues", true)], { bounded: true })),
      waits(20_000),
      marks("mark-address-passed", "low", "low")
    ],
    "a mark may be killed after it recorded what ended and before it did anything else": [
      calls(call([slowly], { bounded: true })),
      waits(20_000),
      killedMarks("mark-retro-clean", "low", "xhigh", 1)
    ],
    "stop takes in what has ended": [
      calls(call([slowly], { bounded: true })),
      waits(20_000),
      stops,
      calls(call([issues]))
    ]
  }
  for (const [name, sequence] of Object.entries(named)) {
    it(name, () => ProgramModel.play(Memory.layer(), sequence), minute)
  }
})

describe("an invocation killed at any of its changes", () => {
  const [first, second] = [call([issues, clean], { size: 2 }), call([clean], { size: 2 })]

  it("is taken up by the next one, and nothing is lost or started twice", async () => {
    for (let at = 0; at < 20; at++) {
      await ProgramModel.play(Memory.layer(), [killedCalls(first, at), calls(first), calls(second)])
    }
  }, minute)

  it("has done its mark whole, or not at all", async () => {
    for (let at = 0; at < 6; at++) {
      const left = killedMarks("mark-address-passed", "low", "low", at)
      await ProgramModel.play(Memory.layer(), [calls(first), left, calls(second)])
    }
  }, minute)
})
