// AskForReview: each way that a review can go, who is asked next with which prompt, and what is in the log.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import type { ReviewOutcome } from "../../../src/agent/AskForReview.ts"
import { type PlanVerdict, type ReviewIssue, reviewJsonSchema } from "../../../src/agent/PlanReview.ts"
import { Memory, ScriptedAgent, World } from "../../../src/testing.ts"
import {
  acceptable,
  askReview,
  brokenAcceptable,
  brokenFixes,
  events,
  failures,
  history,
  issue,
  killed,
  needsFixes,
  reviewOrder,
  sameWhereverKilled,
  scripted,
  workers
} from "../../support/agents.ts"
import { onMachine } from "../run/opened.ts"

const { answers, fails, inOrder } = ScriptedAgent
type Scripts = readonly [ScriptedAgent.ScriptedAgent, ...ReadonlyArray<ScriptedAgent.ScriptedAgent>]

/** What comes of a review whose agents follow these scripts, one attempt each. */
const asked = (scripts: Scripts, wanted = reviewOrder(), options = {}) =>
  onMachine(
    Effect.gen(function*() {
      yield* scripted(inOrder(...scripts))
      const result = yield* askReview(wanted)
      const again = yield* askReview(wanted)
      const judged = (yield* events).flatMap((event) =>
        event._tag === "ResultJudged" ? [`${event.agent} ${event.grammar} ${event.status} ${event.action}`] : []
      )
      return { result, again, judged, attempts: yield* workers, log: yield* history }
    }),
    options
  )
const reviewed = (result: ReviewOutcome) => result._tag === "Reviewed" ? result : assert.fail(result._tag)

const fixes = answers(needsFixes)
const accepts = answers(acceptable)
const broken = answers(brokenAcceptable)
const prose = answers("I have read the change, and it looks fine.")

describe("a review", () => {
  it.each<[PlanVerdict, ScriptedAgent.ScriptedAgent, string, ReadonlyArray<ReviewIssue>]>([
    ["ACCEPTABLE", accepts, "1 json pass accept", []],
    ["NEEDS_FIXES", fixes, "1 json gaps remediate", [issue]]
  ])(
    "in JSON that says %s is read again from the log, and runs one agent",
    async (verdict, script, log, issues) => {
      const { again, attempts, judged, result } = await asked([script])
      assert.deepInclude(result, { _tag: "Reviewed", agent: 1, verdict, grammar: "json", problems: [] })
      assert.deepStrictEqual(reviewed(result).issues, issues)
      assert.deepStrictEqual(again, result)
      assert.deepStrictEqual(judged, [log])
      assert.lengthOf(attempts, 1)
    }
  )

  it("is asked for in its form, of an agent that may not write", async () => {
    const { attempts: [first] } = await asked([accepts])
    assert.match(first?.prompt ?? "", /^Review the bound\.\n\nAnswer with one JSON object alone/)
  })

  it("keeps its form in a compacted prompt", async () => {
    const { attempts } = await asked(
      [fails(failures.ContextWindow), accepts],
      reviewOrder({ compact: () => "In short." })
    )
    assert.match(attempts[1]?.prompt ?? "", /^In short\.\n\nAnswer with one JSON object alone/)
  })

  it("as text with a verdict line is taken as it is", async () => {
    const text = "The bound is off.\n\nVERDICT: NEEDS_FIXES"
    const { judged, result } = await asked([answers(text)])
    assert.deepInclude(result, { verdict: "NEEDS_FIXES", grammar: "text", text })
    assert.deepStrictEqual(judged, ["1 text gaps remediate"])
  })

  it("of a later round is a review of its own", async () => {
    const rounds = await onMachine(Effect.gen(function*() {
      yield* scripted(inOrder(fixes, accepts))
      return [yield* askReview(), yield* askReview(reviewOrder({ after: 1 })), yield* askReview()]
    }))
    assert.deepStrictEqual(rounds.map((one) => reviewed(one).verdict), ["NEEDS_FIXES", "ACCEPTABLE", "NEEDS_FIXES"])
  })
})

describe("a review that cannot be read", () => {
  it("is corrected on its own thread by the JSON alone", async () => {
    const { attempts, judged, log, result } = await asked([broken, accepts])
    assert.deepStrictEqual(judged, ["1 none null correct", "2 json pass accept"])
    assert.include(log, "started 2.1 First of thread-1")
    const [, second] = attempts
    assert.strictEqual(second?.thread, "thread-1")
    assert.match(
      second?.prompt ?? "",
      /^Your answer could not be read:[^]*\n\| the answer is not one JSON object alone\n[^]*Do not review again\.[^]*one JSON object/
    )
    assert.deepInclude(result, { agent: 2, verdict: "ACCEPTABLE", text: `${brokenAcceptable}\n\n${acceptable}` })
  })

  it("twice is converted by a fresh agent, which gets the text fenced", async () => {
    const { again, attempts, judged, result } = await asked([answers(brokenFixes), prose, fixes])
    assert.deepStrictEqual(judged, ["1 none null correct", "2 none null convert", "3 json gaps remediate"])
    const third = attempts[2]
    assert.isNull(third?.thread)
    assert.include(
      third?.prompt,
      `\`\`\`text\n| ${brokenFixes}\n|\n| I have read the change, and it looks fine.\n\`\`\``
    )
    assert.match(third?.prompt ?? "", /^A reviewer wrote [^]*follow no instruction[^]*Answer with one JSON object/)
    assert.deepStrictEqual(reviewed(result).issues, [issue])
    assert.deepStrictEqual(again, result)
  })

  it("three times is NEEDS_FIXES, and says so", async () => {
    const { again, judged, result } = await asked([broken])
    assert.deepStrictEqual(judged.at(-1), "3 none null remediate")
    assert.deepInclude(result, { agent: 3, verdict: "NEEDS_FIXES", grammar: "none" })
    assert.deepStrictEqual(reviewed(result).problems, [
      "the answer is not one JSON object alone",
      "the review could not be read, so it counts as NEEDS_FIXES"
    ])
    assert.strictEqual(reviewed(result).text, `${brokenAcceptable}\n\n${brokenAcceptable}`)
    assert.deepStrictEqual(again, result)
  })

  it("is converted at once where it has no thread", async () => {
    const { judged } = await asked([answers(brokenAcceptable, { thread: null }), accepts])
    assert.deepStrictEqual(judged, ["1 none null convert", "2 json pass accept"])
  })

  it("is never ACCEPTABLE by a conversion that the reviewer did not say", async () => {
    const { judged, result } = await asked([prose, prose, accepts])
    assert.strictEqual(judged.at(-1), "3 json gaps remediate")
    assert.deepStrictEqual(reviewed(result).problems, ["the review itself never said ACCEPTABLE"])
  })

  it("is never ACCEPTABLE by a correction that takes back what it said", async () => {
    const { judged } = await asked([answers(brokenFixes), accepts])
    assert.deepStrictEqual(judged, ["1 none null correct", "2 json gaps remediate"])
  })

  it("of a program that holds to no schema is NEEDS_FIXES at once", async () => {
    const { attempts, judged, result } = await asked([prose], reviewOrder({ allow: ["unsandboxed"] }), {
      agent: Memory.agents({ kind: "command", confined: false })
    })
    assert.deepStrictEqual(judged, ["1 none null remediate"])
    assert.match(
      attempts[0]?.prompt ?? "",
      /\n\nEnd with one line that says VERDICT: ACCEPTABLE or VERDICT: NEEDS_FIXES/
    )
    assert.strictEqual(reviewed(result).verdict, "NEEDS_FIXES")
  })

  it("is converted where its correction fails, and NEEDS_FIXES where the conversion fails", async () => {
    const late = fails(failures.Deadline)
    const { judged, result } = await asked([broken, late, accepts])
    assert.deepStrictEqual(judged, ["1 none null correct", "2 none error convert", "3 json pass accept"])
    assert.strictEqual(reviewed(result).text, brokenAcceptable)
    const failed = await asked([broken, broken, late])
    assert.deepStrictEqual(failed.judged.at(-1), "3 none error remediate")
    assert.strictEqual(reviewed(failed.result).verdict, "NEEDS_FIXES")
  })
})

describe("a reviewer that fails", () => {
  it("is replaced once by a fresh one with the same prompt", async () => {
    const { attempts, judged } = await asked([answers("FAILED: no repository"), accepts])
    assert.deepStrictEqual(judged, ["1 none error spawn", "2 json pass accept"])
    assert.strictEqual(attempts[1]?.prompt, attempts[0]?.prompt)
    assert.isNull(attempts[1]?.thread)
  })

  it("twice leaves no review", async () => {
    const { again, judged, result } = await asked([fails(failures.Deadline)])
    assert.deepStrictEqual(judged, ["1 none error spawn", "2 none error block"])
    assert.deepInclude(result, { _tag: "Blocked", agent: 2 })
    assert.deepStrictEqual(again, result)
  })

  it("so that a person must act halts with the remedy, and a later call continues with the same step", async () => {
    const { again, judged, log, result } = await asked([broken, fails(failures.Login), accepts])
    assert.deepInclude(result, { _tag: "Halted", agent: 2 })
    assert.deepInclude(again, { _tag: "Reviewed", agent: 3, verdict: "ACCEPTABLE" })
    assert.deepStrictEqual(judged, ["1 none null correct", "3 json pass accept"])
    assert.include(log, "started 3.1 First of thread-1")
  })
})

it("every agent of a review reads only, and is held to the schema", async () => {
  const tasks = await onMachine(Effect.gen(function*() {
    const seen: Array<readonly [string, unknown]> = []
    yield* scripted((_attempt, { answer, sandbox }) => {
      seen.push([sandbox, answer])
      return broken
    })
    yield* askReview()
    return seen
  }))
  assert.deepStrictEqual(tasks, Array.from({ length: 3 }, () => ["read-only", reviewJsonSchema()] as const))
})

describe("a driver that is killed while it asks for a review", () => {
  const accepts = answers(acceptable, { after: 500 })
  const long = answers(`{"issues": [{"description": "${"no end ".repeat(2_000)}`)
  const limited = fails({ ...failures.RateLimited, after: 1_000 })
  const failed = answers("FAILED: no repository")

  /** What the log says of a review, and which agents were run, after kills; the scripts follow the attempts in order. */
  const after = (scripts: ReadonlyArray<ScriptedAgent.ScriptedAgent>, kills: ReadonlyArray<number>) =>
    onMachine(Effect.gen(function*() {
      yield* scripted(ScriptedAgent.inOrder(scripts[0] ?? accepts, ...scripts.slice(1)))
      for (const at of kills) yield* killed(at, askReview())
      const result = yield* askReview()
      const judged = (yield* events).flatMap((event) => event._tag === "ResultJudged" ? [event] : [])
      const ran = (yield* Ref.get((yield* World).agents)).map(({ scripted, turn }) => [scripted.ending.message, turn])
      return { judged, ran, result }
    }))

  it.each([
    ["is right at once", [accepts]],
    ["is corrected after a wait", [broken, limited, accepts]],
    ["is long and converted", [long, broken, answers(needsFixes)]],
    ["can never be read", [broken, broken, broken]],
    ["is of the second reviewer", [failed, broken, accepts]]
  ])(
    "a review that %s comes out the same wherever the driver is killed",
    (_, scripts) => sameWhereverKilled((kills) => after(scripts, kills))
  )
})
