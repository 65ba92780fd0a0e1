// Bar: what batches of a run are judged by now: `--block` and the dismissals of the moment.
// Whose change is reviewed has no say in it: the repository's dismissals are then those of a commit that is trusted.
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

const sourceOf = ({ target }: Manifest, trustFrom: string | null, base: BranchName | null): DismissalsFrom | null => {
  if (trustFrom !== null) return { _tag: "Revision", revision: trustFrom }
  if (target._tag !== "PullRequest") return { _tag: "Worktree" }
  return base === null ? null : { _tag: "Base", branch: base }
}

/** The branch that the current batch was compared with; null before it is started, and without one. */
const startedBase = ({ batch }: Manifest): BranchName | null => batch._tag === "Started" ? batch.base : null

/**
 * What the findings of a run are shown by now: the run's own dismissals, and those of its repository. `base` is the
 * branch of a pull request; where it is not known the repository's dismissals are left out.
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
 * What the batches of a run are judged by now. Whoever decides by it knows the base of a pull request, and trusts what
 * the run has trusted from its beginning.
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
