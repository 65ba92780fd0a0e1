// LogReader: the kinds of audit findings. Programs read them, so they must not change.
import { assert, describe, it } from "vitest"
import type { FindingKind } from "../../../src/read/LogReader.ts"

const kinds: Readonly<Record<FindingKind, true>> = {
  damage: true,
  rewound: true,
  head: true,
  run: true,
  transition: true,
  fact: true,
  transcript: true,
  torn: true,
  verdict: true,
  unended: true,
  "tree-changed": true,
  journal: true,
  time: true,
  proof: true,
  driver: true,
  attestation: true
}

describe("the findings of an audit", () => {
  it("have kinds that are stable tokens: none is renamed or dropped", () => {
    assert.lengthOf(Object.keys(kinds), 16)
    for (const kind of Object.keys(kinds)) assert.match(kind, /^[a-z]+(-[a-z]+)*$/)
  })
})
