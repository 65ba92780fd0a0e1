// PlanDocument: a plan file as it stands, with the plan that is read from it and the places of its values.
import { Result } from "effect"
import { type Fault, placeIn } from "../plan/Fault.ts"
import { normalOf, type PlacedPlan, placedPlan } from "../plan/ParsePlan.ts"
import { fileText } from "./FileText.ts"
import { PlanError } from "./PlanError.ts"

export interface PlanDocument extends PlacedPlan {
  /** The file as it stands, with its byte order mark and its own line ends. */
  readonly text: string
}

const malformed = (text: string, { at, remedy, says }: Fault): PlanError =>
  new PlanError({ reason: { _tag: "Malformed", ...placeIn(text, at), says, remedy } })

/**
 * Reads a plan file: Markdown with YAML between two lines `---` at its head, or plain YAML. Any file gives a document,
 * or an error that names the first fault in it.
 */
export const readPlan = (file: Uint8Array | string): Result.Result<PlanDocument, PlanError> => {
  const text = fileText(file)
  if (Result.isFailure(text)) return Result.fail(malformed(text.failure.before, text.failure.fault))
  const normal = normalOf(text.success)
  return Result.mapBoth(placedPlan(normal), {
    onSuccess: (placed) => ({ ...placed, text: text.success }),
    onFailure: (fault) => malformed(normal, fault)
  })
}

/** The bytes of the document's file. */
export const bytesOf = ({ text }: PlanDocument): Uint8Array => new TextEncoder().encode(text)
