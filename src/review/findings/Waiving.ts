// Waiving: which findings of a batch do not block, and why: their priority is too low, or they are dismissed.
// A finding without a priority counts as the gravest, and a review that lists no findings always blocks.
import { Clock, Effect, Result } from "effect"
import { presentBase } from "../../code/PresentIdentity.ts"
import {
  type Dismissal,
  isInForce,
  type Priority,
  type RepoDismissal,
  type WaivedFinding
} from "../../run/Dismissal.ts"
import type { EventOf } from "../../run/Event.ts"
import type { Manifest } from "../../run/Manifest.ts"
import type { Run } from "../../run/Run.ts"
import type { Settings } from "../../run/Settings.ts"
import type { BranchName } from "../../run/Target.ts"
import { jsonText } from "../../text/Json.ts"
import { brief, cut } from "../../text/Untrusted.ts"
import { Dismissals, DismissalsFailed, type DismissalsFrom, dismissalsIn } from "./Dismissals.ts"
import type { Finding } from "./Finding.ts"
import { namesOf } from "./History.ts"
import { inOnePlace, ofOneDefect } from "./Merge.ts"

/** The bar for batches: the lowest priority that blocks, the dismissals, and today's date (UTC). */
export interface Bar {
  readonly block: Priority
  readonly dismissals: ReadonlyArray<Dismissal>
  readonly today: string
}

/** Everything blocks. */
export const lowestBar: Bar = { block: 3, dismissals: [], today: "" }

// The most characters of a title and of a reason in a list, and the most wordings that are kept.
const bounds = { title: 400, wordings: 16, line: 120 } as const

const wordingOf = ({ lines, title }: Pick<Finding, "lines" | "title">) => ({ title: cut(title, bounds.title), lines })

/** The weight of a finding: its gravest report's. Without a priority it is not known to be light. */
export const weightOf = ({ reports }: Finding): Priority =>
  reports.reduce<Priority>((least, { priority }) => (priority ?? 0) < least ? priority ?? 0 : least, 3)

/**
 * What a dismissal records of the findings with a name; null without any. The first of them is the gravest, unless a
 * report of one has no priority.
 */
export const dismissalOf = (
  findings: ReadonlyArray<Finding>,
  name: string
): Omit<RepoDismissal, "at" | "reason" | "until" | "inRound"> | null => {
  const named = findings.filter((finding) => namesOf(finding).includes(name))
  const [first] = named
  if (first === undefined) return null
  // Each finding's own place first.
  const reports = [...named.flatMap((one) => one.reports.slice(0, 1)), ...named.flatMap((one) => one.reports.slice(1))]
  const wordings = reports.map(wordingOf).slice(0, bounds.wordings)
  const priority = reports.some((report) => report.priority === null) ? null : first.priority
  return { fingerprint: name, priority, path: first.path, wordings }
}

/**
 * Whether a dismissal covers a finding. Findings are compared as in merging, so that another wording is the same
 * finding. A dismissal never covers a graver finding than the dismissed one.
 */
export const dismisses = ({ path, priority, wordings }: Dismissal, finding: Finding): boolean =>
  weightOf(finding) >= (priority ?? 0) &&
  wordings.some((wording) =>
    finding.reports.some((report) => ofOneDefect({ path, ...wording }, { path: report.path, ...wordingOf(report) }))
  )

/** Whether a finding is reported at a place that was dismissed. */
const isInPlace = ({ path, wordings }: Dismissal, { reports }: Finding): boolean =>
  wordings.some((wording) => reports.some((report) => inOnePlace({ path, ...wording }, report)))

/** How many places were dismissed; no limit is known where a dismissal had no room for all. */
const placesOf = ({ path, wordings }: Dismissal): number =>
  wordings.length < bounds.wordings
    ? wordings.filter((one, i) =>
      !wordings.slice(0, i).some((other) => inOnePlace({ path, ...one }, { path, ...other }))
    ).length
    : Infinity

// While the dismissed finding itself is still reported, its dismissal covers no similar finding. Several of one wording
// share a name: then more are not covered than were dismissed, except at the dismissed places.
const meant = (dismissal: Dismissal, finding: Finding, all: ReadonlyArray<Finding>): boolean => {
  const bears = (one: Finding): boolean => namesOf(one).includes(dismissal.fingerprint)
  const isNamed = all.some(bears)
  const isLike = (one: Finding): boolean => dismisses(dismissal, one) && (bears(one) || !isNamed)
  return isLike(finding) && (isInPlace(dismissal, finding) || all.filter(isLike).length <= placesOf(dismissal))
}

/** The latest dismissal of a finding that is valid today, or null. */
export const dismissed = (
  finding: Finding,
  { dismissals, today }: Bar,
  all: ReadonlyArray<Finding>
): Dismissal | null =>
  dismissals.findLast((dismissal) => isInForce(dismissal, today) && meant(dismissal, finding, all)) ?? null

/** Whether nothing can be waived, so that no review need be read. */
export const waivesNothing = ({ block, dismissals, today }: Bar): boolean =>
  block === 3 && !dismissals.some((dismissal) => isInForce(dismissal, today))

/** The reason of a dismissal, short enough for a list of findings. */
export const shortReason = (reason: string): string => brief(reason, bounds.line)

const waived = (finding: Finding, bar: Bar, all: ReadonlyArray<Finding>): WaivedFinding | null => {
  const found = dismissed(finding, bar, all)
  if (found === null && weightOf(finding) <= bar.block) return null
  return {
    fingerprint: finding.fingerprint,
    title: brief(finding.title, bounds.line),
    priority: finding.priority,
    because: found === null
      ? { _tag: "BelowBlock" }
      : {
        _tag: "Dismissed",
        scope: found.scope,
        reason: shortReason(found.reason),
        until: found.until,
        ...(found.inRound === undefined ? {} : { inRound: found.inRound })
      }
  }
}

/** Why each of these findings does not block; null if one blocks, or if there are none. */
export const waivedIn = (findings: ReadonlyArray<Finding>, bar: Bar): ReadonlyArray<WaivedFinding> | null => {
  const all = findings.map((finding) => waived(finding, bar, findings)).filter((one) => one !== null)
  return findings.length > 0 && all.length === findings.length ? all : null
}

/** The text that a run stores beside its log for a batch that does not block. Equal events have equal texts. */
export const waiverText = ({ batch, block, findings, level, rest }: EventOf<"BatchWaived">): string => {
  const lines = findings.map(({ because, fingerprint, priority, title }) => {
    const why = because._tag === "BelowBlock"
      ? []
      : [because.scope, because.reason, because.until, ...(because.inRound === undefined ? [] : [because.inRound])]
    return jsonText([fingerprint, title, priority, because._tag, ...why])
  })
  return [jsonText([level, batch, block, rest?.hex ?? null]), ...lines, ""].join("\n")
}

// The bar: `--block` and the present dismissals

/** The settings of an invocation about what blocks. */
export type BarSettings = Pick<Settings, "block" | "trustFrom">

/** The settings of an invocation without any of these flags. */
export const noBar: BarSettings = { block: null, trustFrom: null }

const sourceOf = (
  { manifest: { frozen, target, trust_commit, trust_from }, ref }: Run,
  trustFrom: string | null,
  base: BranchName | null
): DismissalsFrom | null => {
  // The name from the beginning of the run may mean another commit by now.
  const settled = trustFrom === trust_from ? trust_commit : undefined
  if (trustFrom !== null) return { _tag: "Revision", revision: settled ?? trustFrom }
  if (target._tag !== "PullRequest") return frozen === undefined ? { _tag: "Worktree" } : { _tag: "First", run: ref }
  return base === null ? null : { _tag: "Base", branch: base }
}

/** The branch that the current batch was compared with; null before it is started, or without one. */
const startedBase = ({ batch }: Manifest): BranchName | null => batch._tag === "Started" ? batch.base : null

/**
 * The bar for showing the findings of a run: its own dismissals, and the repository's. `base` is the branch of a pull
 * request. If the branch is unknown, the repository's dismissals are left out.
 */
export const barToShow = Effect.fn("Waiving.barToShow")(
  function*(run: Run, { block, trustFrom }: BarSettings, base = startedBase(run.manifest)) {
    const { manifest } = run
    const from = sourceOf(run, trustFrom ?? manifest.trust_from ?? null, base)
    const text = from === null ? "" : yield* (yield* Dismissals).read(manifest.worktree, from)
    const read = dismissalsIn(text)
    if (Result.isFailure(read)) {
      return yield* new DismissalsFailed({ reason: { _tag: "NoDismissal", line: read.failure } })
    }
    const today = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
    return { block: block ?? 3, dismissals: [...manifest.dismissed ?? [], ...read.success], today } satisfies Bar
  }
)

/** The bar for decisions about a run: the base of its pull request must be known, and the trusted commit stays. */
export const barOf = Effect.fn("Waiving.barOf")(function*(run: Run, { block, trustFrom: named }: BarSettings) {
  const { manifest } = run
  const { trust_from: trustFrom = named } = manifest
  const asks = manifest.target._tag === "PullRequest" && trustFrom === null
  return yield* barToShow(
    run,
    { block, trustFrom },
    startedBase(manifest) ?? (asks ? yield* presentBase(manifest) : null)
  )
})
