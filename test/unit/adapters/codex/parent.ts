// A step as a program of its own: starts the attempts it is given, says so, and waits to be killed.
// The one rule: it does nothing but launch, with the live layer.
import { Effect } from "effect"
import { layer } from "../../../../src/adapters/codex/ReviewersLive.ts"
import { Environment } from "../../../../src/services/Environment.ts"
import { type Attempt, Reviewers, type Launch } from "../../../../src/services/Reviewers.ts"

const order: { readonly attempts: ReadonlyArray<Attempt>; readonly launch: Launch } = JSON.parse(process.argv[2] ?? "")
await Effect.runPromise(
  Reviewers.use((codex) => codex.launch(order.attempts, order.launch)).pipe(
    Effect.provide(layer),
    Effect.provideService(Environment, process.env)
  )
)
process.stdout.write("started\n")
setInterval(() => {}, 1_000_000)
