// StartRefused: why no reviewer is started: there is nothing to review, or nobody can tell what there is.
import { Schema } from "effect"
import { unknownInputText } from "../core/loop/StrictDecide.ts"
import { TargetProblem, targetProblemText } from "../services/Git.ts"

/** `--strict-target`: the target cannot be resolved, or there is nothing to review. */
export class TargetRefused extends Schema.TaggedError<TargetRefused>()("TargetRefused", { reason: TargetProblem }) {
  override get message() {
    return targetProblemText(this.reason)
  }
}

/**
 * A strict run cannot start reviews: nobody can tell what they would see, so a clean one would prove nothing. `why` is
 * what whoever looked complained of.
 */
export class InputUnknown extends Schema.TaggedError<InputUnknown>()("InputUnknown", {
  reason: Schema.TaggedStruct("IdentityUnknown", { why: Schema.String })
}) {
  override get message() {
    return unknownInputText(this.reason.why)
  }
}
