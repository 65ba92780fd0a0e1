// Bar: what batches of a run are judged by now: `--block` and the dismissals of the moment.
// The author of a change must not dismiss findings about it: then the dismissals come from a commit that is trusted.
import { Clock, Effect, Result } from "effect"
import { dismissalsIn } from "../core/findings/DismissalLines.ts"
import type { Bar } from "../core/findings/Waiving.ts"
import type { Settings } from "../core/loop/Settings.ts"
import { Dismissals, DismissalsFailed, type DismissalsFrom } from "../services/Dismissals.ts"
import type { Manifest } from "../core/run/Manifest.ts"
import type { BranchName } from "../core/run/Target.ts"
import { presentBase } from "./PresentIdentity.ts"
import type { Run } from "./Run.ts"

/** What an invocation says about what blocks. */
export type Judging = Pick<Settings, "block" | "trustFrom">

const sourceOf = (
  { target, trust_commit, trust_from }: Manifest,
  trustFrom: string | null,
  base: BranchName | null
): DismissalsFrom | null => {
  // The name that the run began with may stand for another commit by now.
  const settled = trustFrom === trust_from ? trust_commit : undefined
  if (trustFrom !== null) return { _tag: "Revision", revision: settled ?? trustFrom }
  if (target._tag !== "PullRequest") return { _tag: "Worktree" }
  return base === null ? null : { _tag: "Base", branch: base }
}

/** The branch that the current batch was compared with; null before it is started, and without one. */
const startedBase = ({ batch }: Manifest): BranchName | null => batch._tag === "Started" ? batch.base : null

/**
 * The bar for showing the findings of a run: its own dismissals, and those of its repository. `base` is the branch of a
 * pull request. Where the branch is not known, the repository's dismissals are left out.
 */
export const barToShow = Effect.fn("Bar.barToShow")(
  function*({ manifest }: Run, { block, trustFrom }: Judging, base = startedBase(manifest)) {
    const from = sourceOf(manifest, trustFrom ?? manifest.trust_from ?? null, base)
    const text = from === null ? "" : yield* (yield* Dismissals).read(manifest.worktree, from)
    const read = dismissalsIn(text)
    if (Result.isFailure(read)) {
      return yield* new DismissalsFailed({ reason: { _tag: "NoDismissal", line: read.failure } })
    }
    const today = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
    return { block: block ?? 3, dismissals: [...manifest.dismissed ?? [], ...read.success], today } satisfies Bar
  }
)

/**
 * The bar for decisions about a run. The base of its pull request must be known, and it trusts the commit that it has
 * trusted from its beginning.
 */
export const barOf = Effect.fn("Bar.barOf")(function*(run: Run, { block, trustFrom: named }: Judging) {
  const { manifest } = run
  const { trust_from: trustFrom = named } = manifest
  const asks = manifest.target._tag === "PullRequest" && trustFrom === null
  return yield* barToShow(
    run,
    { block, trustFrom },
    startedBase(manifest) ?? (asks ? yield* presentBase(manifest) : null)
  )
})
