// fakes: the ports of a fleet with nothing to do, a delivery, and what its reviewer left, for tests without a database.
// A fake refuses nothing by itself; a test says what happens in its port.
import { Effect, Layer } from "effect"
import { notShown } from "../../../src/review/verdict/Reading.ts"
import { Deliveries, type Delivery, Workbench } from "../../../src/fleet/Deliveries.ts"
import { FleetTargets } from "../../../src/fleet/FleetTargets.ts"
import { type Pin, Submissions } from "../../../src/fleet/Submission.ts"
import { WorkingTrees } from "../../../src/fleet/WorkingTrees.ts"
import type { Evidence } from "../../../src/review/ReviewFiles.ts"
import { reviewArguments } from "../../../src/run/Target.ts"
import { pinnedOf } from "./pins.ts"

/** A review of pull request 7, given to a worker for the first time. */
export const deliveryOf = (pinned: Pin = pinnedOf(), run = "r"): Delivery => ({
  attempt: {
    run: { root: "pg:1", repoId: "a", targetKey: "pr/7", runId: run },
    level: "low",
    batch: 1,
    slot: 1,
    attempt: 1,
    id: "a"
  },
  launch: {
    argv: reviewArguments({ _tag: "PullRequest", number: pinned.submission.pr }, pinned.submission.branch, "low"),
    cwd: pinned.tree,
    isolated: true,
    line: { seq: 1, hash: "" },
    reviewTimeout: 1000,
    maxTranscript: 1000
  },
  token: "t",
  number: 1
})

const digest = { algorithm: "sha256", hex: "", bytes: 0 } as const

/** What a reviewer left that found nothing. */
export const evidence: Evidence = {
  out: "",
  logHead: "",
  logTail: "",
  reading: notShown,
  session: { _tag: "Found", output: null },
  usage: { input: 1, cached: 0, output: 1, reasoning: 0 },
  digests: { log: digest, out: digest, review: null }
}

/** Submissions with these pins, which take no new ones. */
export const submissionsWith = (
  pins: ReadonlyArray<Pin>,
  others: Partial<Submissions["Service"]> = {}
): Layer.Layer<Submissions> =>
  Layer.succeed(Submissions, {
    submit: () => Effect.die("no submission expected"),
    of: () => Effect.succeed([]),
    pin: () => Effect.void,
    pins: () => Effect.succeed(pins),
    ...others
  })

/** Working trees that are as pinned. */
export const treesWith = (tree: string, others: Partial<WorkingTrees["Service"]> = {}): Layer.Layer<WorkingTrees> =>
  Layer.succeed(WorkingTrees, {
    open: () => Effect.succeed(tree),
    which: () => Effect.succeed("1"),
    check: () => Effect.void,
    remove: () => Effect.void,
    ...others
  })

/** No deliveries. */
export const deliveriesWith = (others: Partial<Deliveries["Service"]> = {}): Layer.Layer<Deliveries> =>
  Layer.succeed(Deliveries, {
    take: () => Effect.succeed(null),
    seen: () => Effect.succeed(false),
    ended: () => Effect.succeed(false),
    returned: () => Effect.void,
    ...others
  })

/** A workbench on which nothing is left. */
export const workbenchWith = (others: Partial<Workbench["Service"]> = {}): Layer.Layer<Workbench> =>
  Layer.succeed(Workbench, {
    open: ({ attempt }) => Effect.succeed(attempt),
    left: () => Effect.succeed([]),
    close: () => Effect.void,
    found: Effect.succeed([]),
    ...others
  })

/** Targets of which none moves. */
export const targetsWith = (others: Partial<FleetTargets["Service"]> = {}): Layer.Layer<FleetTargets> =>
  Layer.succeed(FleetTargets, {
    enqueue: () => Effect.succeed(true),
    begin: () => Effect.void,
    turned: () => Effect.void,
    wakeLater: () => Effect.void,
    wakeMoved: () => Effect.succeed(0),
    active: () => Effect.succeed(0),
    of: () => Effect.succeed(null),
    all: () => Effect.succeed([]),
    ...others
  })
