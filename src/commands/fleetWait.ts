// fleetWait: `fleet wait`: waits until a pull request rests, and ends as the last step of its run did.
import { Clock, Effect, Schema } from "effect"
import type { Ending } from "../cli/ending.ts"
import { namedTarget } from "../core/fleet/TargetName.ts"
import { CommitSha } from "../core/run/Target.ts"
import { oneLine } from "../core/text/Text.ts"
import { FleetStore } from "../services/FleetStore.ts"
import { type FleetTarget, FleetTargets } from "../services/FleetTargets.ts"
import { Submissions } from "../services/Submissions.ts"
import type { Asked } from "./fleetAsked.ts"

const NotAwaited = Schema.TaggedUnion({
  NotSubmitted: {},
  /** The newest submission of the pull request has this head, and not the one that is waited for. */
  OtherHead: { newest: CommitSha }
})

/** Nobody reviews what is waited for. */
export class WaitRefused extends Schema.TaggedError<WaitRefused>()("WaitRefused", { reason: NotAwaited }) {
  override get message() {
    return this.reason._tag === "NotSubmitted"
      ? "that pull request was not submitted here [fleet submit]"
      : `the newest head that was submitted is ${this.reason.newest} [wait for that one, or submit yours]`
  }
}

// Milliseconds between two looks.
const lookEvery = 1000

const rests = ({ standing }: FleetTarget): boolean => standing === "Parked" || standing === "Done"

/**
 * Waits until a target rests with its newest submission, and says of which head. Where `head` is given, it speaks of
 * that commit or fails: otherwise a job that waits for one head would pass by the fixed point of another.
 */
export const waited = Effect.fn("fleet.wait")(
  function*({ head, target: name, timeout }: Extract<Asked, { readonly _tag: "Wait" }>) {
    const { facts } = yield* FleetStore
    const targets = yield* FleetTargets
    const submissions = yield* Submissions
    const target = namedTarget((yield* facts).name, name)
    const until = timeout === null ? null : (yield* Clock.currentTimeMillis) + timeout
    while (true) {
      const found = yield* targets.of(target)
      const [newest] = yield* submissions.of(target, 1)
      if (newest === undefined) return yield* new WaitRefused({ reason: { _tag: "NotSubmitted" } })
      const submitted = newest.submission.head
      if (head !== null && submitted !== head) {
        return yield* new WaitRefused({ reason: { _tag: "OtherHead", newest: submitted } })
      }
      if (found !== null && found.submission === newest.number && rests(found) && found.end !== null) {
        const stdout = `${target.repoId} ${target.targetKey}, number ${newest.number}, head ${submitted}\n`
        return { stdout, stderr: `${oneLine(found.end.header)}\n`, code: found.end.code } satisfies Ending
      }
      if (until !== null && (yield* Clock.currentTimeMillis) >= until) {
        return { stdout: "", stderr: "Idle\n", code: 7 } satisfies Ending
      }
      yield* Effect.sleep(lookEvery)
    }
  }
)
