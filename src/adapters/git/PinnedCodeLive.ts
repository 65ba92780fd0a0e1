// PinnedCodeLive: what clones below the work path show, told by the live git.
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Dismissals } from "../../services/Dismissals.ts"
import { Git } from "../../services/Git.ts"
import { PinnedCode } from "../../services/PinnedCode.ts"
import { Environment, type Variables } from "../../services/Environment.ts"
import { placesOf } from "./FleetPlaces.ts"
import { pin } from "./GitPinned.ts"
import { layer as shown } from "./PinnedLayers.ts"

/** The layer for clones below `work`. `environment` is all that git gets to know. */
export const layer = (
  work: string,
  environment: Variables
): Layer.Layer<PinnedCode, never, Git | Dismissals> =>
  Layer.effect(
    PinnedCode,
    Effect.gen(function*() {
      const git = yield* Git
      const dismissals = yield* Dismissals
      return PinnedCode.of({
        told: (submission, tree) =>
          pin(submission, { tree, worktree: join(work, placesOf(submission).worktree) }).pipe(
            Effect.provideService(Git, git),
            Effect.provideService(Dismissals, dismissals),
            Effect.provideService(Environment, environment),
            Effect.withSpan("PinnedCode.told")
          ),
        shown
      })
    })
  )
