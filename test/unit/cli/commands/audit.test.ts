// audit: what each command line asks for, and every misuse in one line.
import { assert, describe, it } from "vitest"
import * as audit from "../../../../src/cli/commands/audit.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(audit)
const hash = "0123456789abcdef".repeat(4)
const plain = {
  stateRoot: null,
  selector: { _tag: "Newest" },
  expectHead: null,
  attestation: null,
  logOnly: false,
  reclassify: false,
  json: false
} as const

describe("audit", () => {
  it("checks the newest run by default, all of it", async () => assert.deepStrictEqual(await asked(""), plain))

  it("takes its options", async () => {
    assert.deepStrictEqual(await asked("--all --json --log-only"), {
      ...plain,
      selector: null,
      json: true,
      logOnly: true
    })
    assert.deepStrictEqual(await asked("--attestation a.json"), { ...plain, attestation: "a.json" })
    assert.deepStrictEqual(await asked(`2026 --reclassify --expect-head 12:${hash.toUpperCase()}`), {
      ...plain,
      selector: { _tag: "Named", prefix: "2026" },
      reclassify: true,
      expectHead: { seq: 12, hash }
    })
  })

  const problems: ReadonlyArray<readonly [string, string]> = [
    ["--all 2026", "--all and the name of a run exclude each other"],
    ["--all --uncommitted", "--all and the name of a run exclude each other"],
    [`--all --expect-head 1:${hash}`, "--all and --expect-head exclude each other"],
    ["--expect-head 1", '--expect-head "1": expected SEQ:HASH, a number and 64 hexadecimal digits'],
    [`--expect-head 0:${hash}`, "--expect-head: lines are counted from 1"],
    ["--attestation a.json --all", "--attestation and --all exclude each other"],
    ["--attestation a.json --log-only", "--attestation and --log-only exclude each other"],
    ["--log-only --reclassify", "--log-only and --reclassify exclude each other"]
  ]
  it.each(problems)("%s is misuse", async (line, message) => assert.strictEqual(await problem(line), message))
})
