// golden: golden renderings: what replay and audit print for the golden logs, for users and for programs.
// A stored rendering changes only on purpose: UPDATE_GOLDEN=1 writes it, and its diff is read.
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import { Event } from "../../../../src/run/Event.ts"
import { LogEvent } from "../../../../src/log/StreamKind.ts"
import { bench } from "../../../support/writtenRuns.ts"

const b = bench()
const fixtures = new URL("../../../../fixtures/", import.meta.url)

/** The golden logs, with the directories that their first lines name. */
const logs = {
  "every-event.v1": { id: "20300601T000100Z-000000000-p1", repo: "golden-0123456789ab", target: "pr/17" },
  "frozen.v1": { id: "20360101T000001Z-000000000-p7", repo: "golden-0123456789ab", target: "base/main" },
  "ladder.v1": { id: "20300101T000001Z-123456789-p4242", repo: "golden-0123456789ab", target: "base/main" },
  "driven.v1": { id: "20330101T000001Z-000000000-p7", repo: "golden-0123456789ab", target: "uncommitted" },
  "heads.v1": { id: "20350101T000001Z-000000000-p7", repo: "golden-0123456789ab", target: "uncommitted" },
  "meanwhile.v1": { id: "20370101T000001Z-000000000-p7", repo: "golden-0123456789ab", target: "base/main" },
  "person.v1": { id: "20261127T093044Z-304935143-p29966", repo: "repo-noremote", target: "uncommitted" },
  "plan.v1": {
    id: "20340101T000001Z-000000000-p7",
    repo: "golden-0123456789ab",
    target: "plan/plan-md-0123456789abcdef"
  },
  "round.v1": { id: "20380101T000001Z-000000000-p7", repo: "golden-0123456789ab", target: "uncommitted" },
  "usage.v1": { id: "20320101T000001Z-000000000-p7", repo: "golden-0123456789ab", target: "uncommitted" },
  "waived.v1": { id: "20310101T000001Z-000000000-p7", repo: "golden-0123456789ab", target: "uncommitted" },
  "withdrawn.v1": { id: "20360101T000001Z-000000000-p7", repo: "golden-0123456789ab", target: "uncommitted" }
}

const stored = (name: string, text: string): string => {
  const file = new URL(`renderings/${name}`, fixtures)
  if (process.env["UPDATE_GOLDEN"] !== undefined) fs.writeFileSync(file, text)
  return fs.readFileSync(file, "utf8")
}

describe.each(Object.entries(logs))("%s", (name, place) => {
  const put = () => {
    fs.mkdirSync(b.dir(place), { recursive: true })
    const logs = { "": "manifest", ".converge": "converge", ".plan": "plan" }
    for (const [suffix, log] of Object.entries(logs)) {
      const stored = new URL(`logs/${name}${suffix}.jsonl`, fixtures)
      if (fs.existsSync(stored)) fs.copyFileSync(stored, `${b.dir(place)}/${log}.jsonl`)
    }
  }
  const selector = { _tag: "Named", prefix: place.id } as const
  const same = async (file: string, command: Parameters<typeof b.ask>[0], code: number) => {
    put()
    const ended = await b.ask(command)
    assert.strictEqual(ended.code, code)
    const text = ended.out.replaceAll(b.root(), "/state")
    assert.strictEqual(text, stored(`${name}.${file}`, text))
  }

  it("is replayed unchanged", () => same("replay.txt", b.replay({ selector }), 0))
  if (name === "every-event.v1" || name === "usage.v1") {
    it("is replayed unchanged for programs", () => same("replay.jsonl", b.replay({ selector, json: true }), 0))
  }
  // The first golden log was written by hand: its reviewers were called without an effort, which the audit reports.
  it("is audited unchanged", () =>
    same("audit.txt", b.audit({ selector, logOnly: true }), name === "every-event.v1" ? 1 : 0))
})

it("every event is rendered", () => {
  const text = Object.keys(logs)
    .map((name) => fs.readFileSync(new URL(`renderings/${name}.replay.txt`, fixtures), "utf8")).join("")
  for (const name of Object.keys({ ...Event.cases, ...LogEvent.cases })) {
    assert.match(text, new RegExp(`^.{34}${name} `, "m"))
  }
  for (const name of Object.keys({ ...ConvergeEvent.cases, ...PlanEvent.cases })) {
    assert.match(text, new RegExp(`^.{34}${name} `, "m"))
  }
  const rows = fs.readFileSync(new URL("renderings/every-event.v1.replay.jsonl", fixtures), "utf8")
    .split("\n").slice(0, -2).map((row) => JSON.parse(row))
  const lines = fs.readFileSync(new URL("logs/every-event.v1.jsonl", fixtures), "utf8")
    .split("\n").slice(0, -1).map((line) => JSON.parse(line))
  assert.deepEqual(rows.map(({ event }) => event), lines.flatMap(({ events }) => events))
})
