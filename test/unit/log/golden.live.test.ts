// Golden logs: logs of earlier versions, which every later version reads to the same events.
// A file in fixtures/logs never changes; new events go into a new file.
import * as fs from "node:fs"
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { sha256 } from "../../../src/platform/Sha256.ts"
import { beginning, type Head, LogEvent, type StreamKind, type TaggedEvent } from "../../../src/log/StreamKind.ts"
import { Event } from "../../../src/run/Event.ts"
import { lineCodec } from "../../../src/log/Line.ts"
import { fold } from "../../../src/run/Manifest.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { PlanEvent } from "../../../src/drive/plan/Event.ts"
import { planRun } from "../../../src/drive/plan/State.ts"
import { convergeRun } from "../../../src/drive/converge/State.ts"
import { Disk } from "./disk.ts"
import { fileOf, onlyRun } from "./onlyRun.ts"
import { unlocked } from "./temporaryLog.ts"

const directory = new URL("../../../fixtures/logs/", import.meta.url)

/** The last line of each golden log of a kind. Its hash covers every byte before it. */
type Heads = Readonly<Record<string, Head>>

const heads: Heads = {
  "every-event.v1.jsonl": {
    seq: 19,
    hash: "a821f2729278381be0109e7302de3940107c04b0b4100de43ff02a68a38b1e32"
  },
  "frozen.v1.jsonl": {
    seq: 13,
    hash: "ed8bfaa6fd111627acf845a73632fbcd6e048f2800077a72ca4ab6fc9d1cd6c6"
  },
  "heads.v1.jsonl": {
    seq: 1,
    hash: "d4d0182a1a542460a6936449e9a82a77dcddec37f4a692df45d3faa126c8327c"
  },
  "driven.v1.jsonl": {
    seq: 1,
    hash: "326a6f9e585f26cd038a628082aecc0d3d3ed76cb908b6d922433db447a037dc"
  },
  "meanwhile.v1.jsonl": {
    seq: 1,
    hash: "d3ed1c8fc97f5b274c092fa8626d57e6d579787e7bf89dfe0f438952820a31c3"
  },
  "person.v1.jsonl": {
    seq: 8,
    hash: "a77b5c9d554c96953d156184e1b4e1eff15d74f32e14b170d9a98d85d637303f"
  },
  "round.v1.jsonl": {
    seq: 6,
    hash: "c076ac276924d699013b75cbbd0a57712d3dfdb5393247f1373b7fdfa9196473"
  },
  "ladder.v1.jsonl": {
    seq: 44,
    hash: "4fc75cbc9b0a3e9dfb8cc16f087f3888fbc9777d185d56a90f8f6772a341e56c"
  },
  "usage.v1.jsonl": {
    seq: 6,
    hash: "4290379322fe5c7a40b288be40438258c0fb937826602c570cd34d158edb37b2"
  },
  "waived.v1.jsonl": {
    seq: 6,
    hash: "be7c20243a7fb33d3b7bb063f7702698890e03eb591819e8777f8bfdf1d422ff"
  },
  "withdrawn.v1.jsonl": {
    seq: 5,
    hash: "01a3c6b236673ea3f2940270b31975d444f37b1a1c9ee8cb6ae3cb12bdb7f0c4"
  }
}

/** The same for the streams of drivers. */
const drivers: Heads = {
  "heads.v1.converge.jsonl": {
    seq: 11,
    hash: "438e39d7a1e72425b2021ae0ba560e3612b6741bab705d7735c19d55ad1793f1"
  },
  "meanwhile.v1.converge.jsonl": {
    seq: 14,
    hash: "e37b0f70e79d8d63dd872d98d54f2cc9fe71357daa462732e470f18249901fdc"
  },
  "person.v1.converge.jsonl": {
    seq: 23,
    hash: "035bf624c502a5b4547e6d47d2e1601edb2b156fb3f2e95afd36ec7b2a9e2417"
  },
  "driven.v1.converge.jsonl": {
    seq: 24,
    hash: "4f3f531279250ab07659fe809d29a43ae555290d67e4f2f557670378363ee77a"
  },
  "usage.v1.converge.jsonl": {
    seq: 9,
    hash: "75fa56d625e6a652d967667b158351f13a67b82514eb27e49fc43cc06f801eea"
  }
}

/** The same for plan runs. */
const plans: Heads = {
  "plan.v1.plan.jsonl": {
    seq: 88,
    hash: "f1b972c0a3dd0d0eb6b062c82fa6c287db900ce7cd5429d513c03911a90c4b14"
  },
  "meanwhile.v1.plan.jsonl": {
    seq: 3,
    hash: "ea210e1972c4c4b389157e3e1ca226d4e4df48785b9851f63957eff4d170c340"
  },
  "person.v1.plan.jsonl": {
    seq: 44,
    hash: "955950d7aaf42b8ebebed45a881c5e80c3c8413d4a484e6d2337adb8eefd6a2e"
  }
}

const bytesOf = (name: string): Buffer => fs.readFileSync(new URL(name, directory))
const linesOf = (name: string): ReadonlyArray<unknown> =>
  bytesOf(name).toString().split("\n").slice(0, -1).map((line): unknown => JSON.parse(line))
const readAs = <E extends TaggedEvent, S>(kind: StreamKind<E, S>, file: string, name: string) => {
  const disk = Disk.of(new Map([[fileOf("/state", file), bytesOf(name)]]))
  return Effect.runPromise(unlocked(disk.files).read(kind, onlyRun("/state")))
}
const read = (name: string) => readAs(reviewRun, "manifest.jsonl", name)

/** What holds for every golden log of a kind, whose log has this file name in a run. */
const stillReadable = <E extends TaggedEvent, S>(kind: StreamKind<E, S>, file: string, all: Heads) => {
  const { encodeLine } = lineCodec(kind)
  const read = (name: string) => readAs(kind, file, name)
  describe.each(Object.keys(all))("%s", (name) => {
    it("can be read completely", async () => {
      const contents = await read(name)
      assert.deepStrictEqual(contents.head, all[name])
      assert.strictEqual(contents.torn, 0)
    })

    it("loses no field", async () => {
      const { commits } = await read(name)
      for (const [i, stored] of linesOf(name).entries()) {
        const { at, events, seq } = commits[i] ?? assert.fail("a line is missing")
        assert.deepInclude(stored, { at, events, seq })
      }
    })

    it("is still written with the same bytes", async () => {
      const { commits } = await read(name)
      const version = name === "frozen.v1.jsonl" ? "0.2.0" : "0.1.0"
      const by = { version, pid: 4242, host: "golden" }
      let after = beginning
      const lines = commits.map(({ at, events }) => {
        const line = Result.getOrThrow(encodeLine({ after, at, by, events }, sha256))
        after = { seq: line.line.seq, hash: line.line.hash }
        return line.bytes
      })
      assert.isTrue(Buffer.concat(lines).equals(bytesOf(name)))
    })
  })
}

describe("golden logs", () => {
  it("are all listed here", () =>
    assert.deepStrictEqual(fs.readdirSync(directory).sort(), Object.keys({ ...heads, ...drivers, ...plans }).sort()))

  stillReadable(reviewRun, "manifest.jsonl", heads)
  stillReadable(convergeRun, "converge.jsonl", drivers)
  stillReadable(planRun, "plan.jsonl", plans)

  it("contain every kind of event of a plan", async () => {
    const all = await Promise.all(Object.keys(plans).map((name) => readAs(planRun, "plan.jsonl", name)))
    const kinds = new Set(all.flatMap(({ commits }) => commits.flatMap(({ events }) => events.map(({ _tag }) => _tag))))
    assert.deepStrictEqual([...kinds].sort(), Object.keys(PlanEvent.cases).sort())
  })

  it("contain every kind of event", async () => {
    const all = await Promise.all(Object.keys(heads).map(read))
    const kinds = all.flatMap(({ commits }) => commits.flatMap(({ events }) => events.map(({ _tag }) => _tag)))
    assert.deepStrictEqual([...new Set(kinds)].sort(), Object.keys({ ...Event.cases, ...LogEvent.cases }).sort())
  })

  it("fold to the run they describe", async () => {
    const ladder = fold((await read("ladder.v1.jsonl")).commits) ?? assert.fail("no run")
    assert.deepInclude(ladder, {
      run_id: "20300101T000001Z-123456789-p4242",
      repo_id: "golden-0123456789ab",
      mode: "base",
      target_key: "base/main",
      start_level: "low",
      current_level: "xhigh",
      batch_size: 2,
      batch_number: 1,
      created_at: "2030-01-01T00:00:01.000Z",
      fixed_point: { level: "xhigh", batch: 1, ceiling: "xhigh" }
    })
    assert.deepStrictEqual(
      ladder.level_history.map(({ batch_number, level, outcome }) => [
        level,
        batch_number,
        outcome._tag
      ]),
      [
        ["low", 1, "Addressed"],
        ["low", 2, "Clean"],
        ["medium", 1, "Addressed"],
        ["low", 3, "Clean"],
        ["medium", 2, "Clean"],
        ["high", 1, "RetrospectiveChanges"],
        ["low", 4, "Clean"],
        ["medium", 3, "Clean"],
        ["high", 2, "Clean"],
        ["xhigh", 1, "Clean"]
      ]
    )
  })
})
