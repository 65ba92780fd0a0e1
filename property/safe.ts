// safe: what must hold of every text that leaves the program, and foreign texts to try it with.
import * as fc from "fast-check"
import { assert } from "vitest"
import { exitCodes } from "../src/run/Outcome.ts"
import { initial, type Manifest } from "../src/run/Manifest.ts"
import { BranchName, branchProblem, type Target } from "../src/run/Target.ts"
import { lines } from "../src/text/Untrusted.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"
import { nasty, unprintable } from "./hostile.ts"

const { hostileText } = arbitraries
/** A text from outside that tries to hide something or to forge a line. */
export const foreign = fc.oneof(nasty, hostileText)

/** A branch name as hostile as git admits. */
export const target: fc.Arbitrary<Target> = foreign.map((text): Target => {
  const name = text.replace(/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/|\.$|^[-.@]/g, "")
  return branchProblem(name) === null ? { _tag: "Base", branch: BranchName.make(name) } : { _tag: "Uncommitted" }
})

const headers = Object.keys(exitCodes)
const forged = (text: string): ReadonlyArray<string> =>
  lines(text).filter((line) => headers.some((name) => line === name || line.startsWith(`${name}:`)))

/** What must hold of any text for people; it may contain tabs and line ends. */
export const isSafe = (text: string, own = 0): void => {
  for (const line of text.split("\n")) assert.notMatch(line.replaceAll("\t", ""), unprintable)
  assert.lengthOf(forged(text), own)
}

/** What must hold of a document: one line without anything hidden, and the same value when it is parsed. */
export const isSafeJson = (text: string, held: (value: unknown) => void = () => {}): void => {
  assert.lengthOf(lines(text), 2)
  assert.notMatch(text.trimEnd(), unprintable)
  held(JSON.parse(text))
}

/** Asserts that a document still holds these texts unchanged. */
export const holds = (...texts: ReadonlyArray<string>) => (value: unknown): void => {
  const found = new Set<unknown>()
  const visit = (inner: unknown): void => {
    if (typeof inner === "object" && inner !== null) Object.values(inner).forEach(visit)
    else found.add(inner)
  }
  visit(value)
  for (const text of texts) assert.isTrue(found.has(text), JSON.stringify(text))
}

/** A property of one value. */
export const check = <A>(arbitrary: fc.Arbitrary<A>, law: (value: A) => void): void =>
  fc.assert(fc.property(arbitrary, law))

/** A manifest of a run whose every foreign field is a text. */
export const manifestOf = (text: string): Manifest =>
  initial({
    _tag: "RunCreated",
    runId: text,
    repoId: text,
    worktree: text,
    target: { _tag: "Uncommitted" },
    startLevel: "low",
    batchSize: 3,
    createdAt: text,
    because: "NoLatestPointer",
    nonce: "0".repeat(32)
  })
