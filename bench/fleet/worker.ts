// worker: a process of a fleet that is all real but for its reviewers, which sleep, and for its clones, which are none.
// Words: URL, STORE, DIRECTORY, NAME, CAPACITY, ACTIVE, LEASE in milliseconds, REVIEW in milliseconds.
import { join } from "node:path"
import { Context, Effect, Layer, Redacted } from "effect"
import { layer as localFiles } from "../../src/adapters/codex/ReviewFilesLive.ts"
import { layer as shown } from "../../src/adapters/git/PinnedLayers.ts"
import { reviews, submitted, turns } from "../../src/adapters/sql/FleetQueues.ts"
import { layer as workbench } from "../../src/adapters/store/WorkbenchLive.ts"
import { layer as signals } from "../../src/adapters/terminal/SignalsLive.ts"
import { placesOf } from "../../src/adapters/git/FleetPlaces.ts"
import { work } from "../../src/fleet/Worker.ts"
import { stored } from "../../src/fleetLayers.ts"
import { Environment } from "../../src/services/Environment.ts"
import { PinnedCode } from "../../src/services/PinnedCode.ts"
import { ReviewFiles } from "../../src/services/ReviewFiles.ts"
import { Reviewers } from "../../src/services/Reviewers.ts"
import { WorkingTrees } from "../../src/services/WorkingTrees.ts"
import { sleeping } from "./sleeping.ts"

const [url = "", root = "", directory = "", name = "", ...numbers] = process.argv.slice(2)
const [capacity = 1, active = 1, lease = 3000, review = 100] = numbers.map(Number)

const trees = Layer.succeed(WorkingTrees, {
  open: (submission) => Effect.succeed(join(directory, placesOf(submission).tree)),
  which: () => Effect.succeed(name),
  check: () => Effect.void,
  remove: () => Effect.void
})

const code = Layer.succeed(PinnedCode, {
  told: (submission, tree) =>
    Effect.succeed({
      submission,
      worktree: join(directory, placesOf(submission).worktree),
      tree,
      identity: { _tag: "Known", head: submission.head, tree: submission.head, base: submission.base },
      problem: null,
      dismissals: ""
    }),
  shown
})

const main = Effect.gen(function*() {
  const local = yield* Effect.map(
    Layer.build(Layer.merge(sleeping(review), localFiles)),
    (context): Context.Context<Reviewers | ReviewFiles> => context
  )
  yield* work({
    ...{ root, local, capacity, active },
    machine: name,
    queues: { reviews: yield* reviews, turns: yield* turns, submitted: yield* submitted },
    environment: {},
    tellEvery: lease / 3,
    idleTimeout: 600_000,
    reviewTimeout: 600_000,
    codexBin: "codex",
    retro: "clean"
  })
}).pipe(
  Effect.provide([
    stored(Redacted.make(url), { lease, account: "team" }),
    trees,
    code,
    workbench(join(directory, "workers", name)),
    signals,
    Layer.succeed(Environment, {})
  ]),
  Effect.scoped
)

await Effect.runPromise(main)
