// Waiving: which findings do not block: light ones, dismissed ones, and where dismissals come from.
import { assert, describe, it } from "vitest"
import { Effect, Ref } from "effect"
import type { Finding } from "../../../../src/review/findings/Finding.ts"
import { mergeFindings } from "../../../../src/review/findings/Merge.ts"
import {
  type Bar,
  barOf,
  type BarSettings,
  barToShow,
  dismissalOf,
  dismissed,
  lowestBar,
  waivedIn,
  waiverText,
  waivesNothing,
  weightOf
} from "../../../../src/review/findings/Waiving.ts"
import type { Dismissal } from "../../../../src/run/Dismissal.ts"
import { dismissalLine, type DismissalsFrom } from "../../../../src/review/findings/Dismissals.ts"
import { BranchName, PrNumber, type Target } from "../../../../src/run/Target.ts"
import { Memory, World } from "../../../../src/testing.ts"
import { dismissalsPlace } from "../../../../src/testing/memory/Code.ts"
import { wrote, type Wrote } from "../../../support/reviewedBatches.ts"
import { batchStarted, created } from "../../run/events.ts"
import { begun, onMachine, openedFor } from "../../run/opened.ts"

const at = (block: Bar["block"], ...dismissals: ReadonlyArray<Dismissal>): Bar => ({
  block,
  dismissals,
  today: "2026-11-22"
})

const dismissing = (findings: ReadonlyArray<Finding>, given: Partial<Dismissal> = {}): Dismissal => {
  const of = dismissalOf(findings, findings[0]?.fingerprint ?? "") ?? assert.fail("no such finding")
  return { ...of, reason: "it is meant so", at: "2026-11-20T00:00:00.000Z", until: null, scope: "run", ...given }
}

const merged = (...wordings: ReadonlyArray<Wrote>): Finding =>
  mergeFindings(wordings.map((what, i) => wrote(i + 1, what)))[0] ?? assert.fail("nothing merged")

describe("the weight of a finding", () => {
  it("is its priority; without one it is the gravest", () => {
    assert.deepStrictEqual(([0, 1, 2, 3, null] as const).map((priority) => weightOf(wrote(1, { priority }))), [
      0,
      1,
      2,
      3,
      0
    ])
  })

  it("of several reports is the gravest; a report without a priority is the gravest", () => {
    assert.strictEqual(weightOf(merged({ priority: 3 }, { priority: 2 })), 2)
    assert.strictEqual(weightOf(merged({ priority: 3 }, { priority: null })), 0)
  })
})

describe("a waived batch", () => {
  it("has only findings below the limit", () => {
    const [light, grave] = [wrote(1, { priority: 3 }), wrote(1, { priority: 1, path: "b.ts" })]
    assert.deepStrictEqual(waivedIn([light], at(2))?.map(({ because }) => because), [{ _tag: "BelowBlock" }])
    assert.isNull(waivedIn([light], at(3)))
    assert.isNull(waivedIn([light, grave], at(1)))
    assert.lengthOf(waivedIn([light, grave], at(0)) ?? [], 2)
  })

  it("has known findings", () => assert.isNull(waivedIn([], at(0))))

  it("can have dismissed findings, with the reason and the last day", () => {
    const one = wrote(1, { priority: null })
    const because = { _tag: "Dismissed", scope: "run", reason: "it is meant so", until: "2026-12-01" } as const
    const expected = { fingerprint: one.fingerprint, title: one.title, priority: null, because }
    assert.deepStrictEqual(waivedIn([one], at(3, dismissing([one], { until: "2026-12-01" }))), [expected])
  })

  it("does not exist if everything blocks and no dismissal is valid", () => {
    const gone = dismissing([wrote(1)], { until: "2026-11-21" })
    for (const bar of [lowestBar, at(3), at(3, gone)]) assert.isTrue(waivesNothing(bar))
    for (const bar of [at(2), at(3, dismissing([wrote(1)]))]) assert.isFalse(waivesNothing(bar))
  })
})

describe("a dismissal", () => {
  const original = wrote(1, { title: "Guard against a null user", lines: [10, 12] })
  const bar = at(3, dismissing([original]))
  const isDismissed = (what: Wrote) => dismissed(wrote(2, what), bar, [wrote(2, what)]) !== null

  it("covers other words at the same place, and the same words elsewhere in the file", () => {
    assert.isTrue(isDismissed({ title: "Guard against a null user object", lines: [14, 15] }))
    assert.isTrue(isDismissed({ title: "Guard against null user", lines: [400, 401] }))
    assert.isTrue(isDismissed({ title: "guarding against null users", lines: null }))
  })

  it("does not cover another defect, another place in other words, or another file", () => {
    assert.isFalse(isDismissed({ title: "Close the socket", lines: [10, 12] }))
    assert.isFalse(isDismissed({ title: "Guard against a null user object", lines: [400, 401] }))
    assert.isFalse(isDismissed({ title: "Guard against a null user", path: "src/b.ts" }))
    assert.isFalse(isDismissed({ title: "Guard against a null user", path: null }))
  })

  it("covers every wording of a merged finding, by any of its names", () => {
    const both = merged({ title: "Guard against a null user" }, { title: "Guard null user before access" })
    const [, other] = both.reports
    const named = dismissalOf([both], wrote(2, { title: other?.title ?? "" }).fingerprint)
    assert.deepStrictEqual(named?.wordings.map(({ title }) => title).sort(), [
      "Guard against a null user",
      "Guard null user before access"
    ])
  })

  it("covers its finding even if only one of the reviewers gave a priority", () => {
    const both = merged({ priority: 2 }, { priority: null })
    assert.isNotNull(waivedIn([both], at(3, dismissing([both]))))
    const twins = [wrote(1, { priority: 3 }), wrote(1, { priority: null, lines: [400, 401] })]
    assert.isNotNull(waivedIn(twins, at(3, dismissing(twins))))
  })

  it("is null if no finding has that name", () => assert.isNull(dismissalOf([original], "0".repeat(16))))

  it("ends after its last day; the latest of several counts", () => {
    const [gone, first, last] = [
      dismissing([original], { until: "2026-11-21", reason: "gone" }),
      dismissing([original], { reason: "first" }),
      dismissing([original], { until: "2026-11-22", reason: "last", scope: "repo" })
    ]
    assert.isNull(dismissed(original, at(3, gone), [original]))
    assert.strictEqual(dismissed(original, at(3, first, last, gone), [original])?.reason, "last")
  })
})

describe("a dismissal of one of two similar findings", () => {
  const name = wrote(1, { title: "Rename the check of the user name", lines: [1, 1], priority: 3 })
  const password = wrote(1, { title: "Skip the check of the user password", lines: [3, 3], priority: 0 })
  const other = wrote(2, { title: "Rename the check of the user mail", lines: [3, 3], priority: 3 })
  const bar = at(3, dismissing([name]))

  it("covers no graver one, even if that is alone", () => {
    assert.isNull(waivedIn([name, password], bar))
    assert.isNull(waivedIn([password], bar))
  })

  it("does not cover another one beside it", () => {
    assert.isNotNull(waivedIn([name], bar))
    assert.isNull(waivedIn([name, other], bar))
  })
})

describe("a dismissal of a finding whose words occur again in its file", () => {
  const inLine = (line: number): Finding => wrote(1, { title: "Guard against a null user", lines: [line, line] })
  const one = at(3, dismissing([inLine(10)]))

  it("covers it wherever it moved, but no other one beside it", () => {
    assert.isNotNull(waivedIn([inLine(500)], one))
    assert.isNull(waivedIn([inLine(10), inLine(500)], one))
    assert.isNotNull(dismissed(inLine(10), one, [inLine(10), inLine(500)]))
    assert.isNull(dismissed(inLine(500), one, [inLine(10), inLine(500)]))
  })

  it("covers neither if both are elsewhere, because it is unknown which one was dismissed", () => {
    assert.isNull(dismissed(inLine(110), one, [inLine(110), inLine(500)]))
    assert.isNull(dismissed(inLine(500), one, [inLine(110), inLine(500)]))
  })

  it("covers all that were reported when it was dismissed", () => {
    for (const count of [2, 16, 40]) {
      const all = Array.from({ length: count }, (_, i) => inLine(10 * (i + 1)))
      assert.lengthOf(waivedIn(all, at(3, dismissing(all))) ?? [], count)
    }
    const both = [inLine(10), inLine(12)]
    assert.isNotNull(waivedIn(both, at(3, dismissing(both))))
  })
})

describe("the text of a waiver", () => {
  const findings = [{
    fingerprint: "0".repeat(16),
    title: "T\n",
    priority: 3,
    because: { _tag: "BelowBlock" }
  }] as const
  const event = { _tag: "BatchWaived", level: "low", batch: 1, block: 1, findings } as const

  it("changes with every part of it", () => {
    const because = { _tag: "Dismissed", scope: "repo", reason: "r", until: null } as const
    const one = findings[0]
    const others = [
      event,
      { ...event, level: "high" },
      { ...event, batch: 2 },
      { ...event, block: 0 },
      { ...event, findings: [one, one] },
      { ...event, rest: { algorithm: "sha256", hex: "00", bytes: 1 } },
      ...[because, { ...because, scope: "run" }, { ...because, reason: "s" }, { ...because, until: "2026-01-01" }].map(
        (why) => ({ ...event, findings: [{ ...one, because: why }] })
      )
    ] as ReadonlyArray<typeof event>
    assert.lengthOf(new Set(others.map(waiverText)), others.length)
    assert.strictEqual(waiverText(event).split("\n").length, 3)
  })
})

describe("the dismissals for a run", () => {
  const main = BranchName.make("main")
  const pull: Target = { _tag: "PullRequest", number: PrNumber.make(7) }
  const everything: BarSettings = { block: null, trustFrom: null }
  const places: ReadonlyArray<readonly [DismissalsFrom, string]> = [
    [{ _tag: "Worktree" }, "here"],
    [{ _tag: "Base", branch: main }, "base"],
    [{ _tag: "Revision", revision: "v1" }, "v1"]
  ]
  const line = (reason: string): string =>
    dismissalLine({
      fingerprint: "0".repeat(16),
      priority: null,
      path: null,
      wordings: [],
      until: null,
      reason,
      at: ""
    })

  /** Which of the three places counts for a target. */
  const counted = (target: Target, judging = everything, lines: Parameters<typeof openedFor>[1][] = [], asks = true) =>
    onMachine(
      Effect.gen(function*() {
        const { documents } = yield* World
        yield* Ref.set(documents, new Map(places.map(([from, reason]) => [dismissalsPlace(from), line(reason)])))
        const run = yield* openedFor(target, ...lines)
        const { block, dismissals } = yield* asks ? barOf(run, judging) : barToShow(run, judging)
        return [block, ...dismissals.map(({ reason, scope }) => `${scope} ${reason}`)]
      }),
      { gitHub: Memory.gitHub({ 7: main }) }
    )

  describe("the dismissals of a repository", () => {
    it("come from the worktree, from a pull request's base, or from the trusted commit", async () => {
      assert.deepStrictEqual(await counted({ _tag: "Uncommitted" }), [3, "repo here"])
      assert.deepStrictEqual(await counted({ _tag: "Base", branch: main }, { block: 1, trustFrom: null }), [
        1,
        "repo here"
      ])
      assert.deepStrictEqual(await counted(pull), [3, "repo base"])
      assert.deepStrictEqual(await counted(pull, { block: null, trustFrom: "v1" }), [3, "repo v1"])
      assert.deepStrictEqual(await counted({ _tag: "Uncommitted" }, { block: null, trustFrom: "v1" }), [3, "repo v1"])
    })

    it("come from the commit that the run trusted at its start, whatever its name means now", async () => {
      const said = (decides: boolean, trustFrom: string | null, began: object = { trustFrom: "v1" }) =>
        onMachine(Effect.gen(function*() {
          const { documents } = yield* World
          yield* Ref.set(documents, new Map(places.map(([from, reason]) => [dismissalsPlace(from), line(reason)])))
          const run = yield* begun(created({ strict: true, ...began }), [])
          const judging = { block: null, trustFrom }
          const { dismissals } = yield* decides ? barOf(run, judging) : barToShow(run, judging)
          return dismissals.map(({ reason }) => reason)
        }))
      for (const decides of [true, false]) assert.deepStrictEqual(await said(decides, null), ["v1"])
      assert.deepStrictEqual(await said(true, "v2"), ["v1"])
      // The name may point to another commit now.
      const settled = { trustFrom: "moved", trustCommit: "v1" }
      for (const decides of [true, false]) assert.deepStrictEqual(await said(decides, null, settled), ["v1"])
      assert.deepStrictEqual(await said(false, "moved", settled), ["v1"])
    })

    it("are left out for a pull request with an unknown base, and never read from the change", async () => {
      assert.deepStrictEqual(await counted(pull, everything, [], false), [3])
      assert.deepStrictEqual(await counted(pull, everything, [[batchStarted({ base: main })]], false), [3, "repo base"])
    })

    it("come after the run's own", async () => {
      const dismissed = {
        _tag: "FindingDismissed",
        fingerprint: "f".repeat(16),
        priority: null,
        path: null,
        wordings: [],
        until: null,
        reason: { text: "mine" }
      } as const
      assert.deepStrictEqual(await counted({ _tag: "Uncommitted" }, everything, [[dismissed]]), [
        3,
        "run mine",
        "repo here"
      ])
    })

    it("are refused if a line is invalid", async () => {
      const error = await onMachine(Effect.gen(function*() {
        yield* Ref.set((yield* World).documents, new Map([[dismissalsPlace({ _tag: "Worktree" }), "<<<<\n"]]))
        return yield* Effect.flip(barOf(yield* openedFor({ _tag: "Uncommitted" }), everything))
      }))
      assert.deepInclude(error, { _tag: "DismissalsFailed", reason: { _tag: "NoDismissal", line: 1 } })
    })
  })
})
