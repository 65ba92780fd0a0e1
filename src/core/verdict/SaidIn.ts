// SaidIn: finds in the files of a reviewer what it said in the end.
import type { VerdictSource } from "../run/VerdictSource.ts"
import type { Sources } from "./ChooseVerdict.ts"
import { markedBody } from "./Transcript.ts"

const explanation = ({ session }: Sources): string => {
  const output = session._tag === "Found" ? session.output : null
  const said = typeof output === "object" && output !== null && "overall_explanation" in output
    ? output.overall_explanation
    : null
  return typeof said === "string" ? said : ""
}

/** What a reviewer said in the end, without its transcript. */
export const saidIn = (sources: Sources, source: VerdictSource): string => {
  if (source === "marker") return markedBody(sources.out) ?? markedBody(sources.logTail) ?? sources.out
  return sources.out.trim() === "" ? explanation(sources) : sources.out
}
