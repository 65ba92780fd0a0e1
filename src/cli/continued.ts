// continued: the run that a converging call continues; the repository's file counts as in that run's first batch.
import { Effect, Result } from "effect"
import { currentRun, isFixedPointStale, locate } from "../step/OpenRun.ts"
import { TrustStateRoot } from "../run/RunStore.ts"
import { changeRequired, givenBy, type Texts } from "./convergeOptions.ts"
import { targetOf } from "./targetOptions.ts"

/** The run that a call continues, by its texts; null if it begins one, or if that run's reviewers read the worktree. */
export const continuedRun = Effect.fn("continued.continuedRun")(
  function*(texts: Texts, cwd: string) {
    const given = givenBy(texts)
    const target = targetOf(given, changeRequired)
    if (given("--fresh").length > 0 || Result.isFailure(target)) return null
    const place = yield* locate(
      { stateRoot: given("--state-root")[0] ?? null, strict: true, target: target.success },
      cwd
    )
    const run = yield* currentRun(place)
    if (run?.manifest.frozen !== true || (yield* isFixedPointStale(run.manifest))) return null
    const [floor = run.manifest.start_level] = given("--level")
    return floor === run.manifest.start_level ? run.ref : null
  },
  // The call itself reports what is wrong there, or another run replaces it.
  Effect.orElseSucceed(() => null),
  (self, texts) => Effect.provideService(self, TrustStateRoot, givenBy(texts)("--trust-state-root").length > 0)
)
