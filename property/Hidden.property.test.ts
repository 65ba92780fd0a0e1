// Hidden: whatever a foreign field holds, no header, prompt, document or table hides anything or forges a header.
// Every renderer has a row here or in HiddenPast; a table of this test defines which characters are hidden.
import { Effect } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { parse } from "../src/cli/parse.ts"
import { annotations } from "../src/review/findings/formats/Annotations.ts"
import { findingsJson } from "../src/review/findings/formats/Json.ts"
import { findingsDocument } from "../src/review/findings/formats/Markdown.ts"
import { historyDocument } from "../src/review/findings/formats/Retrospective.ts"
import { sarif } from "../src/review/findings/formats/Sarif.ts"
import { findingsTable } from "../src/review/findings/formats/Table.ts"
import { decideMark } from "../src/run/Mark.ts"
import { type Outcome, stderrText } from "../src/run/Outcome.ts"
import { addressPrompt, retrospectivePrompt, triagePrompt } from "../src/run/words.ts"
import type { Manifest } from "../src/run/Manifest.ts"
import { lines } from "../src/text/Untrusted.ts"
import { batchOf, failed, placesOf, wrote } from "../test/support/reviewedBatches.ts"
import { hostileReport } from "./hostile.ts"
import { check, foreign, holds, isSafe, isSafeJson, manifestOf } from "./safe.ts"

describe("standard error", () => {
  it("of every outcome with a foreign text", () =>
    check(foreign, (text) => {
      const paths = { findings: text, transcripts: text, history: text }
      const outcomes: ReadonlyArray<Outcome> = [
        { _tag: "BinaryError", message: text },
        { _tag: "UsageError", message: text, usage: "Usage" },
        { _tag: "StuckRepeated", action: "RunReviews", key: text },
        { _tag: "StuckCapReached", action: "AwaitReviews", key: text },
        { _tag: "HandoffHuman", action: "TestsFailedTriage", prompt: triagePrompt("low", text) },
        { _tag: "HandoffAgent", action: "AddressBatch", prompt: addressPrompt(1, "low", paths) },
        { _tag: "HandoffAgent", action: "Retrospective", prompt: retrospectivePrompt("low", "low", paths) }
      ]
      for (const outcome of outcomes) isSafe(stderrText(outcome), 1)
      const [, , , , , address = "", retrospective = ""] = outcomes.map(stderrText)
      assert.lengthOf(address.split("\n"), 5)
      assert.lengthOf(retrospective.split("\n"), 4)
    }))

  it("of every misuse of the command line", () =>
    fc.assert(
      fc.asyncProperty(foreign, fc.constantFrom("runs", "findings", "doctor", ""), async (text, name) => {
        const flags = ["--level", "-n", "--base", "--commit", "--expect-head"]
        for (const words of [[text], ...flags.map((flag) => [flag, text])]) {
          const parsed = await Effect.runPromise(parse([...(name === "" ? ["--uncommitted"] : [name]), ...words]))
          if (parsed._tag !== "Usage") continue
          isSafe(stderrText({ _tag: "UsageError", message: parsed.message, usage: parsed.usage }), 1)
        }
      }),
      { numRuns: 40 }
    ))
})

describe("a resolution line", () => {
  it("with any REASON", () =>
    check(foreign, (text) => {
      const { line } = decideMark(manifestOf("r"), { _tag: "RetroChanges", reason: { text } }, "high")
      isSafe(line ?? "")
      assert.lengthOf(lines(line ?? ""), 1)
    }))
})

describe("findings", () => {
  it("in every format", () =>
    check(hostileReport, (of) => {
      for (const text of [findingsDocument(of), findingsTable(of), annotations([of])]) isSafe(text)
      isSafeJson(sarif(of, "1"))
      const written = of.findings.flatMap(({ finding: { body, title } }) => [title, body])
      isSafeJson(findingsJson(of), holds(of.target, ...written))
    }))

  it("wherever the directories are, and in the history of the run", () =>
    check(foreign, (text) => {
      const batch = batchOf(1, [wrote(1, { title: text, body: text })], {
        places: placesOf(`/${text}`, "low", 1),
        missing: [failed(3, text)],
        unlisted: [{ slot: 2, reason: text, body: text }]
      })
      const manifest: Manifest = {
        ...manifestOf(text),
        target_key: text,
        level_history: [{
          level: "low",
          batch_number: 1,
          at: text,
          outcome: { _tag: "RetrospectiveChanges", reason: { text } }
        }]
      }
      isSafe(historyDocument(manifest, [batch], [{ level: "low", batch: 1, text }], text))
    }))
})
