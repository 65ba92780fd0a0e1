// fleetAsked: what is asked for is whole, or one line says what is missing.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { CommitSha } from "../../../../src/run/Target.ts"
import { readAction } from "../../../../src/cli/commands/fleet.ts"
import { given } from "./fleetGiven.ts"

const [head, base] = ["a".repeat(40), "b".repeat(40)]
const whole = { repo: "https://github.com/a/x", pr: 7, head, base }

describe("fleet", () => {
  it.each([
    [given("init", { work: "work" }), /a path from the root/],
    [given("worker", { work: "work" }), /a path from the root/],
    [given("init", { account: { name: "a", cap: null } }), /NAME=CAP/],
    [given("worker", { account: { name: "a", cap: 3 } }), /only names it/],
    [given("worker", { lease: 3000 }), /--lease belongs to fleet init/],
    [given("submit", { ...whole, head: null }), /needs --repo URL, --pr NUM, --head SHA and --base SHA/],
    [given("submit", { ...whole, repo: "ssh://h/x" }), /only https:\/\/ is fetched/],
    [given("submit", { ...whole, head: "HEAD" }), /a full commit id/],
    [given("submit", { ...whole, floor: "high", ceiling: "low" }), /ceiling lies below the floor/],
    [given("wait"), /needs a pull request: URL#NUM/],
    [given("wait", { first: "x" }), /expected a pull request/],
    [given("wait", { first: "https://github.com/a/x#7", head: "main" }), /--head is a full commit id/],
    [given("export", { first: "x" }), /needs a run's id and a directory/]
  ])("%#: is refused", (all, why) => {
    const asked = readAction(all)
    assert.match(Result.isFailure(asked) ? asked.failure : "", why)
  })

  it("asks with the defaults of the fleet", () => {
    assert.deepStrictEqual(Result.getOrThrow(readAction(given("worker"))), {
      _tag: "Worker",
      work: null,
      name: null,
      account: null,
      capacity: 8,
      active: 20,
      retro: "park",
      codexBin: "codex",
      reviewTimeout: 3_600_000,
      idleTimeout: 1_200_000
    })
    const submitted = Result.getOrThrow(readAction(given("submit", { ...whole, reviewers: 2 })))
    assert.deepInclude(submitted._tag === "Submit" ? submitted.submission : {}, {
      ...whole,
      branch: "main",
      batchSize: 2
    })
    const waits = readAction(given("wait", { first: "https://github.com/a/x#7", stepTimeout: 5 }))
    assert.deepStrictEqual(Result.getOrThrow(waits), {
      _tag: "Wait",
      target: { repo: "https://github.com/a/x", pr: 7 },
      head: null,
      timeout: 5
    })
    const head = CommitSha.make("a".repeat(40))
    const ofHead = readAction(given("wait", { first: "https://github.com/a/x#7", head }))
    assert.deepInclude(Result.getOrThrow(ofHead), { head })
  })
})
