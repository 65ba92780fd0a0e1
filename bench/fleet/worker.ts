// worker: a real process of a fleet, except that its reviewers sleep and that it has no clones.
// Words: URL, STORE, DIRECTORY, NAME, CAPACITY, ACTIVE, LEASE in milliseconds, REVIEW in milliseconds, RETRO.
import { join } from "node:path"
import { Context, Effect, Layer, Redacted } from "effect"
import { layer as localFiles } from "../../src/review/ReviewFiles.live.ts"
import { reviews, submitted, turns } from "../../src/fleet/sql/Queues.live.ts"
import { layer as workbench } from "../../src/fleet/Workbench.live.ts"
import { signalsLayer as signals } from "../../src/platform/Process.live.ts"
import { work } from "../../src/fleet/Worker.ts"
import { stored } from "../../src/fleetLayers.ts"
import { Environment } from "../../src/platform/Environment.ts"
import { ReviewFiles } from "../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../src/review/Reviewers.ts"
import { code, trees } from "./clones.ts"
import { sleeping } from "./sleeping.ts"

const [url = "", root = "", directory = "", name = "", ...more] = process.argv.slice(2)
const [capacity = 1, active = 1, lease = 3000, review = 100] = more.slice(0, 4).map(Number)

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
    retro: more[4] === "park" ? "park" : "clean"
  })
}).pipe(
  Effect.provide([
    stored(Redacted.make(url), { lease, account: "team" }),
    trees(directory),
    code(directory),
    workbench(join(directory, "workers", name)),
    signals,
    Layer.succeed(Environment, {})
  ]),
  Effect.scoped
)

await Effect.runPromise(main)
