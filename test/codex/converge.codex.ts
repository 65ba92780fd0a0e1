// converge with the real Codex CLI on both sides: as the reviewer, and as the agent that corrects what is found.
// The model is a stand-in that decides from what it reads; nothing is scripted by the number of a request.
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { agent } from "../../fixtures/stand-in-model/agent.mjs"
import { settled } from "../../fixtures/stand-in-model/leftovers.mjs"
import { reviewer } from "../../fixtures/stand-in-model/reviewer.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { asksAgent } from "../../fixtures/stand-in-model/work.mjs"
import { type Bench, withBench } from "./support.ts"

type Event = Readonly<Record<string, unknown>> & { readonly _tag: string }

const model = (agents: Policy): Policy => (request) =>
  asksAgent(request.turn.prompt) ? agents(request) : reviewer(request)

/** The events of a log of the one run. */
const eventsOf = ({ stateRoot }: Bench, log: "manifest" | "converge"): ReadonlyArray<Event> => {
  const files = readdirSync(stateRoot, { recursive: true, encoding: "utf8" })
  const found = files.find((file) => file.endsWith(`/${log}.jsonl`)) ?? assert.fail("no run")
  return readFileSync(join(stateRoot, found), "utf8").trimEnd().split("\n").flatMap((line) =>
    JSON.parse(line).events ?? []
  )
}

/** A driver's events about rounds, agents and tests: the kind of each and what distinguishes it. */
const trailOf = (bench: Bench): ReadonlyArray<string> =>
  eventsOf(bench, "converge").flatMap((event) => {
    switch (event._tag) {
      case "RoundStarted":
        return [`round ${event["round"]}: ${event["kind"]} of ${event["level"]}/${event["batch"]}`]
      case "AgentStarted":
        return [`${event["taskId"]}: ${event["kind"]}, ${event["sandbox"]}`]
      case "ResultJudged":
        return [`${event["status"]}, ${event["action"]}`]
      case "TestFinished":
        return [`test: ${event["exit"]}`]
      case "RoundConcluded":
        return [`${event["mark"]}`]
      case "DriverEnded":
        return [`${event["outcome"]}`]
      default:
        return []
    }
  })

/** A search whose loop runs one past the end, which its test cannot see. */
const plant = ({ git, repo, write }: Bench): void => {
  mkdirSync(join(repo, "test"))
  write(
    "search.mjs",
    [
      "export const placeOf = (items, item) => {",
      "  for (let at = 0; at <= items.length; at += 1) {",
      "    if (items[at] === item) return at",
      "  }",
      "  return -1",
      "}",
      ""
    ].join("\n")
  )
  write(
    "test/search.test.mjs",
    [
      'import assert from "node:assert/strict"',
      'import { placeOf } from "../search.mjs"',
      "assert.equal(placeOf([2, 4, 9], 9), 2)",
      ""
    ].join("\n")
  )
  git("add", ".")
}
const FLAGS = ["converge", "--uncommitted", "-n", "2", "--ceiling", "medium", "--test", "node test/search.test.mjs"]

const proven = async (bench: Bench): Promise<void> => {
  const { exit, stdout } = await bench.command("audit", "--json")
  const [run] = JSON.parse(stdout).runs
  assert.deepStrictEqual([exit, run.findings], [0, []])
  assert.isTrue(run.proof.complete)
  assert.deepStrictEqual(await settled(bench.codexHome, 5000), [])
}

const corrected = async (bench: Bench): Promise<void> => {
  plant(bench)
  const { exit, stderr, stdout } = await bench.step(...FLAGS)
  assert.deepStrictEqual([exit, stdout, stderr.split("\n").at(-2)], [0, "", "DoneFixedPoint"], stderr)
  assert.include(readFileSync(join(bench.repo, "search.mjs"), "utf8"), "at < items.length;")
}

const looksOver = ["round 2: Retrospective of low/2", "round-2/retrospective: codex, read-only", "pass, accept"]

describe("converge with the real CLI", () => {
  it("has what is found corrected and tested, marks it, and continues to the fixed point", () =>
    withBench(() => model(agent()), async (bench) => {
      await corrected(bench)
      assert.deepStrictEqual(trailOf(bench), [
        "test: 0",
        "round 1: AddressBatch of low/1",
        "round-1/address: codex, workspace-write",
        "pass, accept",
        "test: 0",
        "AddressPassed",
        ...looksOver,
        "RetroClean",
        "DoneFixedPoint"
      ])
      const driven = eventsOf(bench, "converge")
      const [answered] = driven.filter(({ _tag }) => _tag === "RoundAnswered")
      const [started] = driven.filter(({ _tag }) => _tag === "RoundStarted")
      const why = "search.mjs:2 is now `for (let at = 0; at < items.length; at += 1) {`"
      const findings: unknown = started?.["findings"]
      const [fingerprint] = Array.isArray(findings) ? findings : []
      assert.match(fingerprint, /^[0-9a-f]{16}$/)
      assert.deepStrictEqual(answered?.["answers"], [{ fingerprint, answer: "fixed", why }])
      const driver = driven.find(({ _tag }) => _tag === "DriverStarted")?.["driver"]
      const marks = eventsOf(bench, "manifest").filter(({ _tag }) => _tag === "LevelOutcomeRecorded")
      assert.deepStrictEqual(marks.map((mark) => [mark["outcome"], mark["driver"]]), [
        [{ _tag: "Addressed", count: 2 }, driver],
        [{ _tag: "Clean" }, driver]
      ])
      assert.isString(driver)
      await proven(bench)
    }))

  it("has red tests fixed on the thread of the agent that made them red", () => {
    const hasty = agent([
      { from: /<=(\s*[\w.]+\.length)\b/, to: "<$1 - 1" },
      { from: /<(\s*[\w.]+\.length) - 1/, to: "<$1" }
    ])
    return withBench(() => model(hasty), async (bench) => {
      await corrected(bench)
      assert.deepStrictEqual(trailOf(bench), [
        "test: 0",
        "round 1: AddressBatch of low/1",
        "round-1/address: codex, workspace-write",
        "pass, accept",
        "test: 1",
        "test: 1",
        "round-1/mend-1: codex, workspace-write",
        "pass, accept",
        "test: 0",
        "AddressPassed",
        ...looksOver,
        "RetroClean",
        "DoneFixedPoint"
      ])
      const driven = eventsOf(bench, "converge")
      const [first] = driven.filter(({ _tag }) => _tag === "AgentFinished").map((agent) => agent["threadId"])
      const threads = driven.filter(({ _tag }) => _tag === "AgentStarted").map((agent) => agent["thread"])
      assert.isString(first)
      assert.deepStrictEqual(threads, [null, first, null])
      const [fixing] = bench.requests.filter(({ turn }) => turn.prompt.includes("round-1/mend-1"))
      assert.include(fixing?.turn.prompt, "| AssertionError")
      assert.include(fixing?.prompt, "round-1/address")
      await proven(bench)
    })
  })
})
