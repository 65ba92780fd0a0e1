// `npm run demo:plan`: one `implement` call, from a plan of two tasks to the fixed point of their code: the real Codex
// CLI, a stand-in model. On the way a test is red, a review asks for fixes, and one of its issues is out of scope.
// Exit 0 only when it came the expected way, the audits are sound, and no process is left behind.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { agent } from "../fixtures/stand-in-model/agent.mjs"
import { implementer, worksOnPlan } from "../fixtures/stand-in-model/implementer.mjs"
import { reviewer } from "../fixtures/stand-in-model/reviewer.mjs"
import { asksAgent } from "../fixtures/stand-in-model/work.mjs"
import { say, show } from "./demo/show.mjs"

const PLAN = `---
title: Statistics of prices
goal: A shop can ask for the \`mean\` and the \`spread\` of its prices.
tasks:
  # Everything else is built on this one.
  - title: The mean
    description: src/mean.mjs exports mean(prices), the sum of the prices divided by their number.
  - title: The spread
    description: >
      src/spread.mjs exports spread(prices), the greatest distance of a price from their mean.
      It uses the function that is there.
    dependencies: [0]
---

Prices are numbers. A list of them may be empty.
`

/** What the project holds before the plan is worked on. */
const TOTAL = `export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)
`

const TEST = `import assert from "node:assert/strict"
import { test } from "node:test"
import { total } from "../src/total.mjs"

test("the total of prices", () => assert.equal(total([2, 4, 9]), 15))
`

/** @type {import("../fixtures/stand-in-model/server.mjs").Policy} */
const policy = (request) => {
  const { prompt } = request.turn
  return worksOnPlan(prompt) ? implementer(request) : asksAgent(prompt) ? agent()(request) : reviewer(request)
}

const IMPLEMENT = ["implement", "plan.md", "--test", "node --test", "--then", "converge", "-n", "2"]

await show({
  project: { committed: { "plan.md": PLAN, "src/total.mjs": TOTAL, "test/total.test.mjs": TEST }, staged: {} },
  policy,
  act: async ({ asked, call, drive, requests, scratch }) => {
    const driven = await drive(IMPLEMENT)
    const plan = readFileSync(join(scratch.project, "plan.md"), "utf8")
    const [mean, spread] = ["mean", "spread"].map((name) =>
      readFileSync(join(scratch.project, "src", `${name}.mjs`), "utf8")
    )
    say(`\nThe plan now:\n${plan.trimEnd().replace(/^/gm, "  ")}`)
    const runs = await call(["runs"])
    const id = runs.lines.find((line) => line.includes(" plan plan.md"))?.split(" ")[0] ?? "none"
    const replay = await call(["replay", id])
    const sound = await call(["audit", id])
    const proof = await call(["audit"])
    say(`\n${asked().length} turns of agents and reviewers sent ${requests()} requests to the model`)
    const text = replay.lines.join("\n")
    return [
      [driven.exit === 0 && driven.lines.at(-1) === "DoneFixedPoint", "implement did not reach the fixed point"],
      [plan.match(/^ {4}done: true$/gm)?.length === 2, "the tasks are not marked as done"],
      [plan.includes("# Everything else is built on this one."), "a comment of the plan is lost"],
      [/length === 0 \? 0 :/.test(mean ?? ""), "what the review found is still there"],
      [/at < prices\.length/.test(spread ?? ""), "what the ladder found is still there"],
      [/review 0 by agent \d+: NEEDS_FIXES/.test(text), "the first review did not ask for fixes"],
      [/test 2: red exited 1[^]*cycle-1\/mend-1[^]*test 4: green/.test(text), "no red test was fixed"],
      [
        /needs fixes, 1 issue dropped.* belongs to task 1: "src\/spread\.mjs exports spread\(prices\)/.test(text),
        "no issue was dropped with a quote of the task that it belongs to"
      ],
      [sound.exit === 0 && replay.exit === 0, "the plan's run is not sound"],
      [
        proof.exit === 0 && proof.lines.some((line) => /^ +proven: fixed point at xhigh/.test(line)),
        "the audit does not prove the fixed point"
      ]
    ]
  },
  end: "Both tasks are done, their code is at its fixed point, which is proven, and no process is left."
})
