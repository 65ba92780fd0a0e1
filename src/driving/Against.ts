// Against: what stands against beginning a call of any driver: changes of a person's, and consent that is missing.
import { Effect } from "effect"
import { ConsentNeeded, isGiven } from "../agents/Consent.ts"
import type { ConvergeSettings } from "../core/converge/Settings.ts"
import type { DrivenState } from "../core/driven/DrivenState.ts"
import type { Driving } from "../core/driven/HandoffText.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import { isUncommitted } from "../core/run/Identity.ts"
import { presentIdentity, type Reviewed } from "../runs/PresentIdentity.ts"
import { consentEnd } from "./Ends.ts"

const dirtyEnd: Outcome = {
  _tag: "BinaryError",
  message: "--commit-fixes needs a worktree without changes of yours [commit or stash them first]"
}

/**
 * The end of a first call where a person has changed something; null for no end. `--commit-fixes` commits everything:
 * what was changed before must not be among it.
 */
export const dirtyWorktree = Effect.fn("Against.dirtyWorktree")(
  function*({ commitFixes }: ConvergeSettings, reviewed: Reviewed, isFirst: boolean) {
    if (commitFixes === null || !isFirst) return null
    return isUncommitted(yield* presentIdentity(reviewed)) ? dirtyEnd : null
  }
)

/** The end of a call that has no consent to the repository's own tests, of this digest; null for no end. */
export const withoutConsent = (
  call: Driving,
  state: DrivenState,
  { allow }: ConvergeSettings,
  content: string | null
): Outcome | null => {
  const consent = "repository-tests"
  return content === null || allow.includes(consent) || isGiven(state, consent, content)
    ? null
    : consentEnd(new ConsentNeeded({ consent }).message, call)
}
