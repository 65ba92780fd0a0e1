// ChooseVerdict: which of a finished reviewer's sources is believed, best first: session, standard output, marker.
// The one rule: no body anywhere is no review; a worse source is asked only when a better one has nothing to say.
import { hasBanner, markedBody } from "./Transcript.ts"
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
}

export interface Chosen {
  readonly source: VerdictSource
  readonly verdict: Verdict
}

const none: Verdict = { _tag: "NoReview", reason: "no-verdict", findings: [] }

// Standard output is codex's body only when its transcript went elsewhere; it is never searched for markers then.
const printed = (sources: Sources): { readonly source: VerdictSource; readonly body: string } | null => {
  const blank = sources.out.trim() === ""
  if (!blank && hasBanner(sources.logHead)) return { source: "stdout", body: sources.out }
  const body = markedBody(sources.out) ?? markedBody(sources.logTail)
  return body === null ? null : { source: "marker", body }
}

/** The verdict of a reviewer that exited with zero, and where it was read. */
export const chooseVerdict = (sources: Sources): Chosen => {
  const body = printed(sources)
  if (sources.session._tag === "Found") {
    const { decided, verdict } = classifyReviewOutput(sources.session.output, body?.body ?? null)
    return { source: decided ? "session" : body?.source ?? "session", verdict }
  }
  return body === null ? { source: "marker", verdict: none } : { source: body.source, verdict: classifyBody(body.body) }
}
