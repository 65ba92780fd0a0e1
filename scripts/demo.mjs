// `npm run demo`: one `converge` call, from a planted defect to the fixed point: the real Codex CLI, a stand-in model.
// Exit 0 only when it came the expected way, the audit proves the fixed point, and no process is left behind.
import { agent } from "../fixtures/stand-in-model/agent.mjs"
import { reviewer } from "../fixtures/stand-in-model/reviewer.mjs"
import { asksAgent } from "../fixtures/stand-in-model/work.mjs"
import { SHOP } from "./demo/shop.mjs"
import { say, show } from "./demo/show.mjs"

await show({
  project: SHOP,
  policy: (request) => (asksAgent(request.turn.prompt) ? agent()(request) : reviewer(request)),
  act: async ({ asked, call, drive, requests, scratch }) => {
    const driven = await drive(["converge", "--uncommitted", "-n", "3", "--test", "node --test"])
    const changed = scratch.changed()
    say(`\nWhat the agent changed:\n${changed.trimEnd().replace(/^/gm, "  ")}`)
    const runs = await call(["runs"])
    const replay = await call(["replay"], /^ +d\d+ /)
    const audit = await call(["audit"])
    const turns = asked()
    const agents = turns.filter(asksAgent).length
    say(`\n${turns.length - agents} reviews and ${agents} agents sent ${requests()} requests to the model`)
    return [
      [driven.exit === 0 && driven.lines.at(-1) === "DoneFixedPoint", "converge did not reach the fixed point"],
      [/^\+.*index < prices\.length/m.test(changed), "the planted defect is still there"],
      [changed.includes("test/dearest.test.mjs"), "the agent wrote no test"],
      [agents === 2, "two agents were expected: one that fixes, one that looks for patterns"],
      [runs.exit === 0 && replay.exit === 0, "the run cannot be shown"],
      [
        audit.exit === 0 && audit.lines.some((line) => /^ +proven: fixed point at xhigh/.test(line)),
        "the audit does not prove the fixed point"
      ]
    ]
  },
  end: "The fixed point was reached and is proven, and no process is left."
})
