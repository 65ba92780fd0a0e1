// Gaps: what is missing in the proof of a fixed point that a run claims.
// A missing part of a proof is a finding: a run does not become sound because evidence was left out.
import { batchName } from "../core/text/Phrases.ts"
import { isBatchKnown, type LevelProof, type Proof } from "./Proof.ts"
import { prunedBy, unshownBy, type Witness } from "./Witness.ts"

const unproven = {
  "same tree": "it saw another HEAD or base than the last clean batch",
  "other": "it saw other code than the last clean batch",
  "changed": "it saw more than one state of the code",
  "unknown": "it is not known what it saw"
} as const

/** What is missing at the ceiling, where every fixed point needs a clean batch of known code. */
const atCeiling = ({ fixedPoint, levels }: Proof): string | null => {
  const last = levels.at(-1)
  if (last === undefined) return `the ceiling ${fixedPoint.ceiling} lies below the floor`
  const where = batchName(fixedPoint)
  const { clean, sameness } = last
  if (clean === null || clean.batch !== fixedPoint.batch || clean.level !== fixedPoint.level) {
    return fixedPoint.by === "Mark"
      ? `${where}: a mark declared the fixed point, and not every review of that batch was clean`
      : `${where}: not every review of that batch was clean`
  }
  if (!isBatchKnown(clean)) return `${where}: what it reviewed is not known`
  return sameness === "changed" ? `${where}: ${unproven.changed}` : null
}

/** What is missing at a level of a strict run, which needs a clean batch of one input at each. */
const atLevel = ({ clean, level, sameness }: LevelProof): string | null =>
  clean === null || sameness === null
    ? `${level}: no batch with every review clean`
    : sameness === "same"
    ? null
    : `${batchName(clean)}: ${unproven[sameness]}`

/**
 * What no file shows about the batches that prove a fixed point, one sentence each. A strict run then has no proof. In
 * any other run the proof then rests on the log.
 */
export const unshownIn = ({ levels }: Proof, witness: Witness): ReadonlyArray<string> =>
  levels.flatMap(({ clean }) => clean === null ? [] : unshownBy(witness, batchName(clean)))

/** Which transcripts of the batches that prove a fixed point were pruned: without them no run proves anything. */
export const prunedIn = ({ levels }: Proof, witness: Witness): ReadonlyArray<string> =>
  levels.flatMap(({ clean }) => clean === null ? [] : prunedBy(witness, batchName(clean)))

/** What the lines of a run do not show of the fixed point that they claim, one sentence each. */
export const gapsOf = (proof: Proof): ReadonlyArray<string> => {
  const ceiling = atCeiling(proof)
  const below = proof.strict ? proof.levels.map(atLevel) : []
  const all = [ceiling, ...(ceiling === null ? below : below.slice(0, -1))]
  return all.filter((gap) => gap !== null)
}
