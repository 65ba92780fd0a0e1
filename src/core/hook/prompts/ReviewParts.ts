// ReviewParts: what the prompts of the hook share: who asks, how to judge, and how to answer.
import type { FocusHint, SizeHint } from "../Hints.ts"

/** Paragraphs with a blank line between them; empty ones are left out. */
export const paragraphs = (...texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join("\n\n")

/** What holds for whoever reviews from the hook. */
export const readerPart =
  "You only read: change no file, run nothing that changes one, and do not change git's state. You have little time: " +
  "look at what is shown and at the few files that decide the question."

/** How a judgement is reached. */
export const methodPart = [
  "Work like this:",
  "1. Say to yourself what the work is meant to do, from all that is shown.",
  "2. Look at it from several sides: is it right in every case, what does it break, is it safe, will the next person " +
  "understand it, is there a simpler way, does it do what was asked and no more?",
  "3. Try to refute each doubt. Report only what survives as a matter both of correctness and of whoever maintains " +
  "it: no taste, no praise, no guess."
].join("\n")

/** How a verdict is given. */
export const verdictPart = [
  "The verdict is PASS or FAIL. FAIL says that something must change before the work goes on; anything less is PASS. " +
  "Where an answer in JSON is asked of you, it stands in `verdict`, and the bullets in `review`. Otherwise the first " +
  "line of your answer is the verdict and nothing else.",
  "Then at most five bullets, the gravest first: the place, what is wrong, and what to do. No more than 1,500 " +
  "characters in all, and no bullet where there is nothing to report."
].join("\n")

/** How advice is given where nothing is judged. */
export const advicePart =
  "Answer with at most five bullets, the most useful first, and no more than 1,500 characters " +
  "in all. Say what to do, not what was done. If there is nothing worth saying, answer with the one word: nothing."

const focused: Readonly<Record<FocusHint, string>> = {
  security: "the path tells of security: who may do this, what is checked, what leaks, what is compared in what time",
  test: "the path tells of tests: can each fail, does it run the real code, was one weakened or skipped",
  data: "the path tells of data: is any lost, are old data still read, what happens half-way, what at the same time",
  ui: "the path tells of an interface: states without data, errors, wide and narrow screens, keyboards, screen readers",
  config: "the path tells of configuration: defaults, what depends on it elsewhere, secrets in it, other environments"
}

const sized: Readonly<Record<SizeHint, string>> = {
  expanded: "the text grew to more than three times its size: is all of it needed",
  reduced: "the text shrank to less than half: was anything lost that somebody needs",
  large: "the change is large: look for what does not belong to it"
}

/** What to look at first. */
export const hintsPart = (focus: ReadonlyArray<FocusHint>, size: ReadonlyArray<SizeHint>): string => {
  const all = [...focus.map((one) => focused[one]), ...size.map((one) => sized[one])]
  return all.length === 0 ? "" : ["Look at this first:", ...all.map((one) => `- ${one}`)].join("\n")
}
