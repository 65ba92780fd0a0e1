// Laws of what an audit proves: a run that the program made is proven, and one changed kind of evidence is found.
// Each forgery is a named case; the random ones choose the place, and lay a second one over the first.
import { join } from "node:path"
import * as fs from "node:fs"
import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { RunRef } from "../src/index.ts"
import { forgeries, type Forgery } from "./forgeries.ts"
import { audited, copyOf, proven } from "./provenRun.ts"
import { tmpdir } from "node:os"

let dir = ""
let run: RunRef = { root: "", repoId: "", targetKey: "", runId: "" }
let copies = 0

beforeAll(async () => {
  dir = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "ooda-forgery-")))
  run = await proven(dir)
}, 300_000)
afterAll(() => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))

/** What is found of a copy of the run with these forgeries. */
const found = async (...all: ReadonlyArray<{ readonly forgery: Forgery; readonly pick: number }>) => {
  const root = join(dir, `copy-${copies++}`)
  try {
    const copy = copyOf(run, root)
    copy.rewrite(copy.lines())
    const before = copy.whole()
    for (const { forgery, pick } of all) forgery.apply(copy, pick)
    const isAsItWas = copy.whole() === before
    const { findings, proof, words } = await audited(copy.ref)
    const kinds = words.flatMap((word) => word._tag === "Found" ? [word.finding.kind] : [])
    const texts = words.flatMap((word) => word._tag === "Found" ? [`${word.finding.kind}: ${word.finding.text}`] : [])
    return { findings, isAsItWas, kinds, proof, texts }
  } finally {
    fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

describe("a run that the program made", () => {
  it("is proven, without findings or notes", async () => {
    const { proof, texts } = await found()
    assert.deepStrictEqual(texts, [])
    assert.isTrue(proof?.complete)
  })

  it("is still proven after its log is rewritten unchanged", async () => {
    const asItWas: Forgery = { name: "", found: [], apply: (copy) => copy.rewrite(copy.lines()) }
    assert.deepStrictEqual((await found({ forgery: asItWas, pick: 0 })).texts, [])
  })
})

const named = (name: string) => forgeries.find((one) => one.name === name) ?? assert.fail(name)

describe("one kind of evidence, changed", () => {
  it.each(forgeries.map((forgery) => [forgery.name, forgery] as const))("is found: %s", async (_, forgery) => {
    for (const pick of [0, 1]) {
      const { kinds, proof, texts } = await found({ forgery, pick })
      assert.isTrue(
        kinds.some((kind) => forgery.found.includes(kind)),
        `${forgery.found} at ${pick}: ${texts.join("\n")}`
      )
      assert.notStrictEqual(proof?.complete, true)
    }
  }, 120_000)

  it("is found at any place, and also next to another one", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ forgery: fc.constantFrom(...forgeries), pick: fc.nat({ max: 40 }) }), {
          minLength: 1,
          maxLength: 2
        }),
        async (some) => {
          const { findings, isAsItWas, proof } = await found(...some).catch((error: unknown) => {
            // The first one may have taken away what the second one is about.
            if (some.length > 1) return { findings: 1, isAsItWas: false, proof: null }
            throw error
          })
          // The second one may have put back what the first one changed, as two that exchange the same lines do.
          fc.pre(some.length === 1 || !isAsItWas)
          assert.isAbove(findings, 0)
          assert.notStrictEqual(proof?.complete, true)
        }
      ),
      {
        numRuns: 20,
        examples: [[[{ forgery: named("a line twice"), pick: 0 }, { forgery: named("a line left out"), pick: 13 }]]]
      }
    ), 300_000)
})
