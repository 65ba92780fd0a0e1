// NoSuchRun: the error of a name that leads to no run, or to several.
import { Schema } from "effect"
import { brief } from "../core/text/Untrusted.ts"

const Target = { targetKey: Schema.String, place: Schema.String }
const Names = Schema.Array(Schema.Struct({ repoId: Schema.String, targetKey: Schema.String, runId: Schema.String }))

/**
 * Why there is no such run, or no single one. `OnlyElsewhere`: another checkout has runs, `newest` among them.
 * `OnlyPlans`: the runs of this worktree are runs of plans, which must be named.
 * `NotBegun`: a run without a first line. `place` is where a target's runs lie.
 */
export const NoSuchRunReason = Schema.Union([
  Schema.TaggedStruct("NoneHere", { repoId: Schema.String, root: Schema.String }),
  Schema.TaggedStruct("OnlyElsewhere", { worktree: Schema.String, newest: Schema.String }),
  Schema.TaggedStruct("OnlyPlans", { newest: Schema.String }),
  Schema.TaggedStruct("NoneBegins", { prefix: Schema.String, root: Schema.String }),
  Schema.TaggedStruct("Several", { prefix: Schema.String, runs: Names }),
  Schema.TaggedStruct("SeveralUnderWay", { runs: Names }),
  Schema.TaggedStruct("NoneOfTarget", Target),
  Schema.TaggedStruct("LatestDangling", Target),
  Schema.TaggedStruct("NotBegun", { runId: Schema.String })
])
export type NoSuchRunReason = typeof NoSuchRunReason.Type

// So many of the runs that a prefix fits are named.
const most = 3

const named = (runs: typeof Names.Type): string => {
  const names = runs.slice(0, most).map(({ repoId, runId, targetKey }) => `${runId} (${repoId}/${targetKey})`)
  return `${names.join(", ")}${runs.length > most ? " and more" : ""}`
}

const longest = 300
const found = "[`ooda-codex-review runs --all` lists those that are there; --state-root names another place]"

const reasonText = (reason: NoSuchRunReason): string => {
  switch (reason._tag) {
    case "NoneHere":
      return `no run of this repository (${reason.repoId}) under ${brief(reason.root, longest)} ${found}`
    case "OnlyElsewhere":
      return `no such run of ${reason.worktree}; name the run of another checkout, such as --run ${reason.newest}`
    case "OnlyPlans":
      return `this worktree has no run of reviews, only of plans [name the one that is meant: --run ${reason.newest}]`
    case "NoneBegins":
      return `no run begins with ${brief(reason.prefix, 80)} under ${brief(reason.root, longest)} ${found}`
    case "Several":
      return `${reason.prefix} is the beginning of several runs: ${named(reason.runs)}; name more of one`
    case "SeveralUnderWay":
      return `several runs of this worktree are under way: ${named(reason.runs)}; name one`
    case "NoneOfTarget":
      return `no run of ${reason.targetKey} under ${brief(reason.place, longest)} ${found}`
    case "LatestDangling":
      return `latest of ${reason.targetKey} names a run that does not exist under ${
        brief(reason.place, longest)
      } [a step opens a new one]`
    case "NotBegun":
      return `run ${reason.runId} has not begun [call the step again]`
  }
}

/** There is no such run, or more than one. */
export class NoSuchRun extends Schema.TaggedError<NoSuchRun>()("NoSuchRun", { reason: NoSuchRunReason }) {
  override get message() {
    return reasonText(this.reason)
  }
}
