// Flags: the flags of a hook, errors in one line, and when every hook is off.
import { assert, it } from "vitest"
import { defaultFlags, isOff, readFlags } from "../../../src/hook/Flags.ts"

it("reads every flag, in both notations", () => {
  assert.deepStrictEqual(readFlags([]), defaultFlags)
  assert.deepStrictEqual(
    readFlags(["--quiet", "--gate", "ladder", "--deadline=170s", "--model", "m", "--fast-model=", "--log", "/l"]),
    { ...defaultFlags, quiet: true, gate: "ladder", deadline: 170_000, model: "m", fastModel: null, log: "/l" }
  )
  assert.deepInclude(readFlags(["--deadline", "2m"]), { deadline: 120_000 })
  assert.deepInclude(readFlags(["--codex-bin", "/c", "--state-root=/s"]), { codexBin: "/c", stateRoot: "/s" })
})

it("reports an error in one line", () => {
  assert.strictEqual(readFlags(["--gates", "x"]), 'unknown option "--gates" (did you mean --gate?)')
  assert.strictEqual(readFlags(["--other", "x"]), 'unknown option "--other"')
  assert.match(`${readFlags(["--gate"])}`, /^--gate needs a value: What a Stop is held to/)
  assert.strictEqual(readFlags(["--gate", "all"]), '--gate "all": expected one of off, fails, review, ladder')
  for (const wrong of ["601s", "999ms", "11m"]) {
    assert.match(`${readFlags(["--deadline", wrong])}`, /expected a duration from 1s to 10m$/)
  }
  for (const wrong of ["90", "0s", "", "-1s"]) {
    assert.match(`${readFlags(["--deadline", wrong])}`, /expected a duration .*, such as 90s, 8m or 1h30m$/)
  }
  for (const name of ["--codex-bin", "--state-root", "--log"]) assert.isString(readFlags([name, ""]))
  assert.isString(readFlags(["--quiet=1"]))
})

it("is off if the user says so, and inside an agent", () => {
  for (const text of ["0", "false", "OFF", " no "]) assert.isTrue(isOff({ CODEX_REFLECTOR_ENABLED: text }))
  for (const text of ["1", "", "yes"]) assert.isFalse(isOff({ CODEX_REFLECTOR_ENABLED: text }))
  assert.isFalse(isOff({}))
  assert.isTrue(isOff({ OODA_IN_AGENT: "1" }))
})
