// jobParent: a program of its own that starts the jobs it is given, says so, and waits to be killed.
// It does nothing but launch.
import { Effect } from "effect"
import { makeGuard } from "../../../../src/platform/guard/Guard.ts"
import type { Order } from "../../../../src/platform/guard/Job.ts"
import { Environment } from "../../../../src/platform/Environment.ts"

const orders: ReadonlyArray<Order> = JSON.parse(process.argv[2] ?? "")
const guard = makeGuard({ file: "log", stalledTail: () => null })
await Effect.runPromise(
  Effect.provideService(guard.launch(orders, "starting commands"), Environment, process.env)
)
process.stdout.write("started\n")
setInterval(() => {}, 1_000_000)
