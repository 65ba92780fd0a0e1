// ChooseVerdict: which of a finished reviewer's sources is believed, best first: session, standard output, marker.
// Without a body in any source there is no review. A worse source is asked only when the better ones hold nothing.
import type { Reading } from "./Reading.ts"
import { hasBanner, markedBodies } from "./Transcript.ts"
import { classifyBody, classifyReviewOutput, type Verdict } from "./Verdict.ts"
import type { VerdictSource } from "../run/VerdictSource.ts"

/** What a reviewer that exited with zero left behind. */
export interface Sources {
  /** `review_output` of the session file: absent when no session file was found, null when codex recorded none. */
  readonly session: { readonly _tag: "Absent" } | { readonly _tag: "Found"; readonly output: unknown }
  /** Standard output, whole. */
  readonly out: string
  /** The beginning of standard error. */
  readonly logHead: string
  /** The end of standard error; for reviewers that print everything there. */
  readonly logTail: string
  /** What the sources show of the commands that it ran. */
  readonly reading: Reading
}

export interface Chosen {
  readonly source: VerdictSource
  readonly verdict: Verdict
}

const none: Verdict = { _tag: "NoReview", reason: "no-verdict", findings: [] }

interface Printed {
  readonly source: VerdictSource
  readonly body: string
  /** What stands behind earlier markers of the same stream. */
  readonly earlier: ReadonlyArray<string>
}

// Codex prints its review to standard output. Where its banner went elsewhere, standard output is the body, whole, and
// is never searched for markers; nothing that a command printed into the transcript stands in for an empty one.
const printed = (sources: Sources): Printed | null => {
  const apart = hasBanner(sources.logHead)
  if (apart) return sources.out.trim() === "" ? null : { source: "stdout", body: sources.out, earlier: [] }
  const found = [sources.out, sources.logTail].map(markedBodies).find((bodies) => bodies.length > 0) ?? []
  const body = found.at(-1)
  return body === undefined ? null : { source: "marker", body, earlier: found.slice(0, -1) }
}

// A finding may quote a line that is `codex` alone: then it stands before the last marker, and its review is not clean.
const classifyPrinted = ({ body, earlier }: Printed): Verdict => {
  const verdict = classifyBody(body)
  if (verdict._tag !== "Clean") return verdict
  return earlier.map(classifyBody).find(({ findings }) => findings.length > 0) ?? verdict
}

/** The verdict of a reviewer that exited with zero, and where it was read. */
export const chooseVerdict = (sources: Sources): Chosen => {
  const body = printed(sources)
  if (sources.session._tag === "Found") {
    const { decided, verdict } = classifyReviewOutput(sources.session.output, body?.body ?? null)
    return { source: decided ? "session" : body?.source ?? "session", verdict }
  }
  return body === null ? { source: "marker", verdict: none } : { source: body.source, verdict: classifyPrinted(body) }
}
