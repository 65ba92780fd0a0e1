// Mark: the seven side-effect flags.
// The one rule: REASON and DETAILS are hostile texts here, for that is what an outer agent may pass on.
import * as fc from "fast-check"
import type { Mark } from "../../core/loop/Mark.ts"
import { longText } from "./Fact.ts"
import { anyOf, fieldsOf, type Overridable } from "./Fields.ts"

type MarkOf<Tag extends Mark["_tag"]> = Extract<Mark, { readonly _tag: Tag }>

/** One arbitrary a flag. */
export const marks = {
  RetroClean: fieldsOf<MarkOf<"RetroClean">>({ _tag: fc.constant("RetroClean") }),
  RetroChanges: fieldsOf<MarkOf<"RetroChanges">>({ _tag: fc.constant("RetroChanges"), reason: longText }),
  AddressPassed: fieldsOf<MarkOf<"AddressPassed">>({ _tag: fc.constant("AddressPassed") }),
  AddressFailed: fieldsOf<MarkOf<"AddressFailed">>({ _tag: fc.constant("AddressFailed"), details: longText }),
  AdvanceLevel: fieldsOf<MarkOf<"AdvanceLevel">>({ _tag: fc.constant("AdvanceLevel") }),
  DropLevel: fieldsOf<MarkOf<"DropLevel">>({ _tag: fc.constant("DropLevel") }),
  RestartFromFloor: fieldsOf<MarkOf<"RestartFromFloor">>({ _tag: fc.constant("RestartFromFloor") })
} as const satisfies { [Tag in Mark["_tag"]]: Overridable<MarkOf<Tag>> }

/** Any side-effect flag; shrinks towards a clean retrospective. */
export const mark: fc.Arbitrary<Mark> = anyOf(...Object.values(marks).map((one): fc.Arbitrary<Mark> => one()))
