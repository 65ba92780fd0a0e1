// NoSuchRun: the error of a name that leads to no run, or to several.
import { Schema } from "effect"

const Target = { targetKey: Schema.String, place: Schema.String }

/** Why there is no such run. `NotBegun`: a run without a first line. `place` is where a target's runs lie. */
export const NoSuchRunReason = Schema.Union([
  Schema.TaggedStruct("NoneHere", { repoId: Schema.String, root: Schema.String }),
  Schema.TaggedStruct("NoneBegins", { prefix: Schema.String, root: Schema.String }),
  Schema.TaggedStruct("Several", {
    prefix: Schema.String,
    runs: Schema.Array(Schema.Struct({ repoId: Schema.String, targetKey: Schema.String, runId: Schema.String }))
  }),
  Schema.TaggedStruct("NoneOfTarget", Target),
  Schema.TaggedStruct("LatestDangling", Target),
  Schema.TaggedStruct("NotBegun", { runId: Schema.String })
])
export type NoSuchRunReason = typeof NoSuchRunReason.Type

// So many of the runs that a prefix fits are named.
const most = 3

const reasonText = (reason: NoSuchRunReason): string => {
  switch (reason._tag) {
    case "NoneHere":
      return `no run of this repository (${reason.repoId}) under ${reason.root}`
    case "NoneBegins":
      return `no run begins with ${reason.prefix} under ${reason.root}`
    case "Several": {
      const { prefix, runs } = reason
      const names = runs.slice(0, most).map(({ repoId, runId, targetKey }) => `${runId} (${repoId}/${targetKey})`)
      return `${prefix} is the beginning of several runs: ${names.join(", ")}${runs.length > most ? " and more" : ""}`
    }
    case "NoneOfTarget":
      return `no run of ${reason.targetKey} under ${reason.place}`
    case "LatestDangling":
      return `latest of ${reason.targetKey} leads nowhere under ${reason.place}`
    case "NotBegun":
      return `run ${reason.runId} has not begun`
  }
}

/** There is no such run, or more than one. */
export class NoSuchRun extends Schema.TaggedError<NoSuchRun>()("NoSuchRun", { reason: NoSuchRunReason }) {
  override get message() {
    return reasonText(this.reason)
  }
}
