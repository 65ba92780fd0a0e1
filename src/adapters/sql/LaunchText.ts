// LaunchText: what an executor is told of a review that it runs, as the text that the tables keep.
// The one rule: no program is among it, since an executor runs the one of its own machine.
import { Schema } from "effect"
import type { Launch } from "../../services/Reviewers.ts"

const Line = Schema.Struct({ seq: Schema.Int, hash: Schema.String })

const Stored: Schema.Codec<Omit<Launch, "binary">, string> = Schema.fromJsonString(Schema.Struct({
  argv: Schema.Array(Schema.String),
  cwd: Schema.String,
  isolated: Schema.Boolean,
  line: Line,
  reviewTimeout: Schema.Number,
  maxTranscript: Schema.Number
}))

const encoded = Schema.encodeSync(Stored)

/** The text of a launch. */
export const launchText = ({ binary: _, ...launch }: Launch): string => encoded(launch)

/** The launch in a text. */
export const launchIn = Schema.decodeUnknownEffect(Stored)
