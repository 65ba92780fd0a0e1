// JobRefused: why a step of a workflow has nothing to review or to converge.
import { Schema } from "effect"
import { testsMissingText } from "./TestsSeen.ts"

/**
 * The event is about no pull request, and nothing else says what to compare with; flags name something that is none,
 * as `said` tells; or a converging run is told of no tests, and its project has those that were seen.
 */
export const JobReason = Schema.TaggedUnion({
  NoPullRequest: {},
  Misnamed: { said: Schema.String },
  NoTests: { seen: Schema.Array(Schema.Struct({ file: Schema.String, test: Schema.String })) }
})
export type JobReason = typeof JobReason.Type

const reasonText = (reason: JobReason): string => {
  switch (reason._tag) {
    case "NoPullRequest":
      return "the event is about no pull request [name what to compare with: --base BRANCH]"
    case "Misnamed":
      return reason.said
    case "NoTests":
      return testsMissingText(reason.seen)
  }
}

/** The step of a workflow has nothing that it could do. */
export class JobRefused extends Schema.TaggedError<JobRefused>()("JobRefused", { reason: JobReason }) {
  override get message() {
    return reasonText(this.reason)
  }
}
