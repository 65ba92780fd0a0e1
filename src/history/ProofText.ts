// ProofText: what a fixed point has proven, level by level, in words.
// It says what was reviewed and when, and concludes nothing that the lines do not say.
import { differs, identityText } from "../core/run/Identity.ts"
import { counted } from "../core/text/Phrases.ts"
import { waivedText } from "./Describe.ts"
import type { CleanBatch, LevelProof, Proof, Sameness, Support } from "./Proof.ts"

const sameness = {
  "same": "the code of the last clean batch",
  "same tree": "the tree of the last clean batch, on another HEAD or base",
  "other": "NOT the tree of the last clean batch",
  "changed": "NOT unchanged: the code changed under review",
  "unknown": "not known whether this is the tree of the last clean batch"
} as const satisfies Record<Sameness, string>

/** How far the statement can be trusted. Nothing is called proven unless the rest of the audit bears it out. */
const supportText = {
  "borne out": "proven",
  "refuted": "NOT proven, see the findings; what the log claims",
  "unchecked": "not proven, the transcripts were left alone; what the log claims"
} as const satisfies Record<Support, string>

const seen = ({ completed, started }: CleanBatch): string =>
  differs(started, completed)
    ? `${identityText(started)}, changed under review to ${identityText(completed)}`
    : identityText(completed)

const reviewers = ({ reviewers, waived }: CleanBatch): string => {
  const again = reviewers.filter(({ attempt }) => attempt > 1).length
  return counted(reviewers.length, waived.length === 0 ? "clean review" : "review") +
    (again === 0 ? "" : `, ${again} of them after failed attempts`)
}

/** Of how many reviewers nothing shows that they read the change. */
const reading = ({ reviewers }: CleanBatch): string => {
  const dark = reviewers.filter(({ read }) => read === "not-shown").length
  return dark === 0 ? "" : `; reading not shown${dark === reviewers.length ? "" : ` for ${dark}`}`
}

/** Whether reviewers read a private copy: said of every isolated batch, and of all batches of a strict run. */
const isolation = ({ isolated }: CleanBatch): string =>
  isolated === null ? "" : isolated ? "; isolated" : "; not isolated"

/** What is proven of a level: its batch, what that saw, and what did not block in it; a line each. */
export const levelLines = ({ clean, sameness: how }: LevelProof): ReadonlyArray<string> => {
  if (clean === null || how === null) return ["no batch with every review clean"]
  const retrospective = clean.retrospective ? "; retrospective clean" : ""
  return [
    `batch ${clean.batch}, line ${clean.line}: ${reviewers(clean)} of ${seen(clean)}${reading(clean)}${retrospective}`,
    `${sameness[how]}${isolation(clean)}`,
    ...clean.waived.map((one) => `waived: ${waivedText(one)}`)
  ]
}

/** How far it is proven, where the fixed point is, and how it was declared. */
export const statementText = ({ claimed, fixedPoint, support }: Proof): string => {
  const { batch, by, ceiling, level } = fixedPoint
  const how = by === "Mark" ? "declared by --mark-retro-clean" : "reached by reviews"
  // In a run that is not strict the code may change from level to level, so only the last batch proves something.
  const alone = support === "borne out" && !claimed ? ` at ${level} alone` : ""
  return `${supportText[support]}${alone}: fixed point at ${level} batch ${batch}, ceiling ${ceiling}, ${how}`
}

/** Whether all levels are about one code. */
export const conclusionText = ({ claimed, levels, support }: Proof): string => {
  const but = levels.some(({ clean }) => clean !== null && clean.waived.length > 0) ? " but for what was waived" : ""
  return claimed
    ? `${support === "borne out" ? "" : "as claimed, "}every level was reviewed clean${but}, on the same code`
    : "NOT every level was reviewed clean on the same code"
}

const row = (proven: LevelProof): string =>
  `    ${proven.level.padEnd(8)}${levelLines(proven).join(`\n${" ".repeat(12)}`)}\n`

/** The statement of a fixed point, each level, and whether all of them are about one code. */
export const proofText = (proof: Proof): string =>
  `  ${statementText(proof)}\n${proof.levels.map(row).join("")}    ${conclusionText(proof)}\n`

/** The same for programs. */
export const proofJson = ({ complete, fixedPoint, levels, support }: Proof) => ({
  level: fixedPoint.level,
  batch: fixedPoint.batch,
  ceiling: fixedPoint.ceiling,
  by: fixedPoint.by,
  complete,
  worth: support,
  levels: levels.map(({ clean, level, sameness }) => ({
    level,
    sameAsLastCleanBatch: sameness,
    batch: clean?.batch ?? null,
    line: clean?.line ?? null,
    reviewers: clean?.reviewers ?? [],
    argv: clean?.argv ?? [],
    started: clean?.started ?? null,
    completed: clean?.completed ?? null,
    retrospective: clean?.retrospective ?? false,
    waived: clean?.waived ?? [],
    isolated: clean?.isolated ?? null
  }))
})
