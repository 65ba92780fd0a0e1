// LaunchText: what an executor is told of a review that it runs, as the text that the tables keep.
import { Schema } from "effect"
import type { Launch } from "../../services/Reviewers.ts"

const Line = Schema.Struct({ seq: Schema.Int, hash: Schema.String })

const Stored: Schema.Codec<Launch, string> = Schema.fromJsonString(Schema.Struct({
  binary: Schema.String,
  argv: Schema.Array(Schema.String),
  cwd: Schema.String,
  isolated: Schema.Boolean,
  line: Line,
  reviewTimeout: Schema.Number,
  maxTranscript: Schema.Number
}))

/** The text of a launch. */
export const launchText = Schema.encodeSync(Stored)

/** The launch in a text. */
export const launchIn = Schema.decodeUnknownEffect(Stored)
